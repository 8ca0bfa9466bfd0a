// SPDX-License-Identifier: Apache-2.0
package quadrille;

import quadrille.v1.ErrorCode;

/**
 * An entry of a batch that the server refused; the others were applied.
 *
 * @param index in the columns of the call
 * @param id of the entity or observer, unsigned
 * @param number of the ErrorCode
 * @param field the number of the field at fault in the request's message, 0: the entry
 */
public record RefusedEntry(int index, int id, int number, int field) {
    /** The code; UNRECOGNIZED if this version does not know it. */
    public ErrorCode code() {
        return Refusal.codeOf(number);
    }

    /** The code's name, such as "UNKNOWN_ID". */
    public String reason() {
        return Refusal.nameOf(number);
    }
}

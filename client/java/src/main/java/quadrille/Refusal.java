// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.List;
import quadrille.v1.ErrorCode;

/**
 * Why the server refused a request, or entries of it.
 *
 * @param room the room's name; empty: the session itself
 * @param command the method that made the request, such as "move"
 * @param number of the ErrorCode; that of the first entry, if entries were refused
 * @param text for people: the value, the rule and the fix
 * @param entries empty: the whole request was refused
 */
public record Refusal(String room, String command, int number, String text, List<RefusedEntry> entries) {
    private static final String PREFIX = "ERROR_CODE_";

    static ErrorCode codeOf(int number) {
        ErrorCode code = ErrorCode.forNumber(number);
        return code == null ? ErrorCode.UNRECOGNIZED : code;
    }

    static String nameOf(int number) {
        ErrorCode code = ErrorCode.forNumber(number);
        return code == null ? Integer.toString(number) : code.name().substring(PREFIX.length());
    }

    /** The code; UNRECOGNIZED if this version does not know it. */
    public ErrorCode code() {
        return codeOf(number);
    }

    /** The code's name, such as "UNKNOWN_ROOM"; its number if this version does not know it. */
    public String reason() {
        return nameOf(number);
    }
}

// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.List;
import quadrille.v1.ErrorCode;

/** The server refused what was awaited. */
public final class RefusedException extends QuadrilleException {
    private static final long serialVersionUID = 1;

    private final transient Refusal refusal;

    RefusedException(Refusal refusal) {
        super(refusal.command() + ": " + refusal.reason() + ": " + refusal.text());
        this.refusal = refusal;
    }

    /** The code and the entries. */
    public Refusal refusal() {
        return refusal;
    }

    /** The code of the refusal; that of the first entry, if entries were refused. */
    public ErrorCode code() {
        return refusal.code();
    }

    /** The refused entries; empty: the whole request was refused. */
    public List<RefusedEntry> entries() {
        return refusal.entries();
    }
}

// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The entries of a log, in order. An entry is in at most one list, and is removed in constant time. */
final class EntryList {
    private Entry first;
    private Entry last;

    void add(Entry entry) {
        entry.list = this;
        entry.before = last;
        entry.after = null;
        if (last == null) {
            first = entry;
        } else {
            last.after = entry;
        }
        last = entry;
    }

    void remove(Entry entry) {
        if (entry.list != this) {
            return;
        }
        if (entry.before == null) {
            first = entry.after;
        } else {
            entry.before.after = entry.after;
        }
        if (entry.after == null) {
            last = entry.before;
        } else {
            entry.after.before = entry.before;
        }
        entry.list = null;
    }

    Entry first() {
        return first;
    }

    boolean has(Predicate<Entry> wanted) {
        for (Entry each = first; each != null; each = each.after) {
            if (wanted.test(each)) {
                return true;
            }
        }
        return false;
    }

    /** A copy, which stays as it is while entries are removed. */
    List<Entry> all() {
        return where(any -> true);
    }

    List<Entry> where(Predicate<Entry> wanted) {
        List<Entry> found = new ArrayList<>();
        for (Entry each = first; each != null; each = each.after) {
            if (wanted.test(each)) {
                found.add(each);
            }
        }
        return found;
    }
}

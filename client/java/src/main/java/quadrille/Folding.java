// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import quadrille.internal.ContradictionException;
import quadrille.internal.Fields;
import quadrille.v1.EndReason;
import quadrille.v1.LeaveReason;

/** Folds what the server sends about a room, and reports the changes to the program. */
final class Folding {
    private final Session session;
    final Pairs pairs;
    final Views views = new Views();
    boolean steps; // the room ticks by Step
    long tick; // the last one that the session knows of; after a restart of the server it counts from 1
    boolean pairsStale; // a reset is on its way
    boolean viewStale;
    boolean wantsPairs;
    boolean wantsView;
    boolean isMissing; // entities could not be spawned yet
    private boolean viewResets;
    private final List<Tick> collectors = new ArrayList<>(); // what has changed since each Step that is under way

    final List<Handlers.OfPair> onBegin = new ArrayList<>();
    final List<Handlers.OfEnd> onEnd = new ArrayList<>();
    final List<Handlers.OfPair> onPassed = new ArrayList<>();
    final List<Handlers.OfPair> onStay = new ArrayList<>();
    final List<Handlers.OfEnter> onEnter = new ArrayList<>();
    final List<Handlers.OfLeave> onLeave = new ArrayList<>();
    final List<Handlers.OfRelay> onRelay = new ArrayList<>();
    final List<Consumer<Tick>> onTick = new ArrayList<>();
    final List<Runnable> onReset = new ArrayList<>();
    final List<Handlers.OfIds> onGained = new ArrayList<>();
    final List<Handlers.OfIds> onLost = new ArrayList<>();
    final List<Runnable> onClosed = new ArrayList<>();

    Folding(Session session) {
        this.session = session;
        this.pairs = new Pairs(session.lock);
    }

    /** Whether the sets are those of the last tick, as far as a step waits for that. */
    boolean reports() {
        return !isMissing && !pairsStale && (steps || !viewStale);
    }

    boolean isSettled() {
        return !pairsStale && !viewStale && !pairs.isInReset() && (!wantsPairs || pairs.isKnown()) && views.isKnown();
    }

    // ---- reporting ----

    /** Calls the handlers on the session's thread, once the lock is free. */
    <H> void call(List<H> handlers, Consumer<H> call) {
        if (!handlers.isEmpty()) {
            List<H> now = List.copyOf(handlers);
            session.defer(() -> now.forEach(handler -> session.guarded(() -> call.accept(handler))));
        }
    }

    private void report(Tick news) {
        if (news.isReset) {
            call(onReset, Runnable::run);
        }
        call(onEnd, handler -> {
            Rows ends = news.ends();
            byte[] reasons = news.endReasons();
            for (int i = 0; i < ends.size(); i++) {
                EndReason reason = EndReason.forNumber(reasons[i]);
                handler.on(ends.first()[i], ends.second()[i], reason == null ? EndReason.UNRECOGNIZED : reason);
            }
        });
        call(onBegin, handler -> each(news.begins(), handler));
        call(onPassed, handler -> each(news.passed(), handler));
        call(onStay, handler -> each(news.stays(), handler));
        call(onLeave, handler -> {
            Rows leaves = news.leaves();
            byte[] reasons = news.leaveReasons();
            for (int i = 0; i < leaves.size(); i++) {
                LeaveReason reason = LeaveReason.forNumber(reasons[i]);
                handler.on(leaves.first()[i], leaves.second()[i], reason == null ? LeaveReason.UNRECOGNIZED : reason);
            }
        });
        call(onEnter, handler -> each(news.enters(), handler::on));
        call(onRelay, handler -> {
            Tick.Relays relays = news.relays();
            for (int i = 0; i < relays.size(); i++) {
                handler.on(relays.observers()[i], relays.ids()[i], relays.x()[i], relays.y()[i], relays.z()[i]);
            }
        });
        call(onTick, handler -> handler.accept(news));
        collectors.forEach(each -> each.merge(news));
    }

    private static void each(Rows rows, Handlers.OfPair handler) {
        for (int i = 0; i < rows.size(); i++) {
            handler.on(rows.first()[i], rows.second()[i]);
        }
    }

    /** Begins to collect changes. */
    Tick collect() {
        Tick news = new Tick(0);
        collectors.add(news);
        return news;
    }

    void endCollecting(Tick news) {
        collectors.removeIf(each -> each == news);
    }

    // ---- folding ----

    void foldTick(Fields fields) {
        long number = fields.number("tick");
        tick = Math.max(tick, number);
        if (fields.is("suspended")) {
            pairs.suspend();
            pairsStale = false;
            return;
        }
        boolean wasReset = pairs.isInReset() || fields.is("reset");
        Pairs.Difference difference = pairs.apply(fields);
        Tick news = new Tick(number);
        if (difference != null) {
            news.isReset = true;
            addEnds(news, difference.ended(), new byte[difference.ended().size()]);
            news.add(Tick.Kind.BEGINS, difference.begun().first(), difference.begun().second());
        } else if (!wasReset) {
            addEnds(news, new Rows(fields.ints("end_a"), fields.ints("end_b")), fields.bytes("end_reason"));
            news.add(Tick.Kind.BEGINS, fields.ints("begin_a"), fields.ints("begin_b"));
            news.add(Tick.Kind.PASSED, fields.ints("passed_a"), fields.ints("passed_b"));
            news.add(Tick.Kind.STAYS, fields.ints("stay_a"), fields.ints("stay_b"));
        }
        if (fields.is("last")) {
            pairsStale = false;
        }
        if (!news.isEmpty() || fields.is("last")) {
            report(news);
        }
    }

    private static void addEnds(Tick news, Rows ends, byte[] reasons) {
        if (reasons.length != ends.size()) {
            throw new ContradictionException("columns of ends differ in length");
        }
        news.add(Tick.Kind.ENDS, ends.first(), ends.second(), reasons);
    }

    void foldView(Fields fields) {
        tick = Math.max(tick, fields.number("tick"));
        reportView(fields);
        viewResets |= fields.is("reset");
        if (fields.is("suspended") || viewResets && fields.is("last")) {
            viewResets = false;
            viewStale = false;
        }
    }

    private void reportView(Fields fields) {
        Tick news = new Tick(fields.number("tick"));
        try {
            views.apply(fields, news, !onRelay.isEmpty() || !onTick.isEmpty());
        } catch (IndexOutOfBoundsException | NullPointerException error) {
            throw new ContradictionException("columns of a view differ in length: " + error.getMessage());
        }
        if (!news.isEmpty()) {
            report(news);
        }
    }

    /** The connection is lost, and with it what a tick has not completed. */
    void foldLost() {
        if (!views.isKnown() && !views.isSuspended()) {
            reportView(Fields.of("suspended", true));
        }
        pairsStale = wantsPairs;
        viewStale = wantsView;
        viewResets = false;
    }

    /** The views of a new session begin empty, without a reset. */
    void foldRestart() {
        reportView(Fields.of("suspended", true));
        reportView(Fields.of("reset", true, "reset_watchers", true, "last", true));
        pairs.suspend();
        viewStale = wantsView;
    }
}

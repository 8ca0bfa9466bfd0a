// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A request of the program, which is under way. To cancel a future gives up the wait; the request itself stays. */
public final class Request {
    private final Room room;
    final long number;
    long tick = -1; // that contains it; -1: none yet
    Refusal refusal;
    int parts; // entries of the log that are not done
    int unaccepted; // entries that the server has not accepted
    boolean isClosed; // it will never be carried out

    Request(Room room, long number, int parts) {
        this.room = room;
        this.number = number;
        this.parts = parts;
        this.unaccepted = parts;
    }

    /** Done when the server has accepted the request, or for a move when a tick contains it. Fails with a
     * RefusedException if the server refused the request, or entries of it. */
    public CompletableFuture<Void> accepted() {
        return future(() -> unaccepted == 0 || tick >= 0, () -> null);
    }

    /** Done when a tick contains the request and the sets are of that tick or later, with the tick. */
    public CompletableFuture<Long> applied() {
        return future(() -> tick >= 0 && room.folding.reports(), () -> tick);
    }

    /** Waits for accepted(). Throws RefusedException and other exceptions of this library as they are. Do not call it
     * on the session's thread, which runs the handlers. */
    public void await() {
        try {
            accepted().join();
        } catch (CompletionException error) {
            if (error.getCause() instanceof QuadrilleException cause) {
                throw cause;
            }
            throw error;
        }
    }

    <T> CompletableFuture<T> future(BooleanSupplier isDone, Supplier<T> result) {
        CompletableFuture<T> future = new CompletableFuture<>();
        room.session.until(future, () -> {
            if (refusal != null) {
                throw new RefusedException(refusal);
            }
            if (isClosed) {
                throw room.closedException();
            }
            return isDone.getAsBoolean();
        }, result);
        return future;
    }
}

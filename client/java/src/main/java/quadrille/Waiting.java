// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What a session does later: tasks of the program, which must not run under the lock, and futures that wait for a
 * condition. The session is locked in all methods.
 */
final class Waiting {
    /** A future that waits for a condition, which is asked after each frame and each change of the state. */
    private interface Waiter {
        /** at once: a future that is done may complete in this call, because the program does not have it yet. */
        boolean isDone(boolean atOnce);
    }

    private final Connection connection;
    private List<Waiter> waiters = new ArrayList<>();
    private List<Runnable> deferred = new ArrayList<>();

    Waiting(Connection connection) {
        this.connection = connection;
    }

    void defer(Runnable task) {
        deferred.add(task);
        connection.wake();
    }

    List<Runnable> takeDeferred() {
        if (deferred.isEmpty()) {
            return List.of();
        }
        List<Runnable> taken = deferred;
        deferred = new ArrayList<>();
        return taken;
    }

    /** Completes the future with the result once isDone() is true, or with what it throws. */
    <T> void until(CompletableFuture<T> future, BooleanSupplier isDone, Supplier<T> result) {
        Waiter waiter = atOnce -> {
            Runnable completion;
            try {
                if (!future.isDone() && !isDone.getAsBoolean()) {
                    return false;
                }
                T value = future.isDone() ? null : result.get();
                completion = () -> future.complete(value);
            } catch (QuadrilleException error) {
                completion = () -> future.completeExceptionally(error);
            }
            if (atOnce) {
                completion.run();
            } else {
                defer(completion);
            }
            return true;
        };
        // Handlers that wait to run come before it.
        if (!waiter.isDone(deferred.isEmpty() && !connection.isServing())) {
            waiters.add(waiter);
            connection.flush();
        }
    }

    /** Something has changed: asks the waiters. */
    void ask() {
        if (waiters.isEmpty()) {
            return;
        }
        List<Waiter> asked = waiters;
        waiters = new ArrayList<>();
        for (Waiter waiter : asked) {
            if (!waiter.isDone(false)) {
                waiters.add(waiter);
            }
        }
    }
}

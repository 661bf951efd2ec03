import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * fib and nqueens on Java's ForkJoinPool, as extras/runtimes/forkjoinpool.c calls them. As its documentation has it: one
 * half forked, the other computed, then joined, the latest first.
 */
@SuppressWarnings("serial")
final class ForkJoin {
    private static ForkJoinPool pool;

    private ForkJoin() {}

    /** Binds the calling thread, worker number from 0, as far as the machine allows it. */
    private static native void takePlace(int worker);

    /** Waits for the other workers, for a tenth of a second at most. */
    private static native void arrive();

    private static final class Worker extends ForkJoinWorkerThread {
        private static final AtomicInteger STARTED = new AtomicInteger();

        Worker(ForkJoinPool pool) {
            super(pool);
        }

        @Override
        protected void onStart() {
            takePlace(STARTED.getAndIncrement());
        }
    }

    static void start(int threads) {
        pool = new ForkJoinPool(threads, Worker::new, null, false);
    }

    private static final class Arrival extends RecursiveAction {
        @Override
        protected void compute() {
            arrive();
        }
    }

    static void gather() {
        List<Arrival> all = Stream.generate(Arrival::new).limit(pool.getParallelism()).collect(Collectors.toList());
        pool.submit(() -> ForkJoinTask.invokeAll(all)).join();
    }

    private static final class Fib extends RecursiveTask<Long> {
        private final int n, cutoff;

        Fib(int n, int cutoff) {
            this.n = n;
            this.cutoff = cutoff;
        }

        private static long alone(int n) {
            return n < 2 ? n : alone(n - 1) + alone(n - 2);
        }

        @Override
        protected Long compute() {
            if (n <= cutoff)
                return alone(n);
            Fib other = new Fib(n - 1, cutoff);
            other.fork();
            return new Fib(n - 2, cutoff).compute() + other.join();
        }
    }

    static long fib(int n, int cutoff) {
        return pool.invoke(new Fib(n, cutoff));
    }

    /** A board: what the queens so far attack in the next row, as bits. */
    private static final class Place extends RecursiveTask<Long> {
        private final int all, aloneFrom, columns, left, right, row;

        Place(int all, int aloneFrom, int columns, int left, int right, int row) {
            this.all = all;
            this.aloneFrom = aloneFrom;
            this.columns = columns;
            this.left = left;
            this.right = right;
            this.row = row;
        }

        /** With a queen on the lowest of the free columns. */
        private Place next(int free) {
            int queen = free & -free;
            return new Place(all, aloneFrom, columns | queen, (left | queen) << 1, (right | queen) >>> 1, row + 1);
        }

        private static long alone(int all, int columns, int left, int right) {
            long ways = columns == all ? 1 : 0;
            for (int free = all & ~(columns | left | right); free != 0; free &= free - 1) {
                int queen = free & -free;
                ways += alone(all, columns | queen, (left | queen) << 1, (right | queen) >>> 1);
            }
            return ways;
        }

        @Override
        protected Long compute() {
            if (row >= aloneFrom)
                return alone(all, columns, left, right);
            int free = all & ~(columns | left | right);
            if (free == 0)
                return 0L;
            Place[] others = new Place[Integer.bitCount(free) - 1];
            for (int i = 0; i < others.length; i++, free &= free - 1) {
                others[i] = next(free);
                others[i].fork();
            }
            long ways = next(free).compute();
            for (int i = others.length - 1; i >= 0; i--)
                ways += others[i].join();
            return ways;
        }
    }

    static long nqueens(int side, int cutoff) {
        return pool.invoke(new Place((1 << side) - 1, Math.max(0, side - cutoff), 0, 0, 0, 0));
    }
}

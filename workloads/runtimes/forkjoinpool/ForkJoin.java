import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountedCompleter;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The application workloads on Java's ForkJoinPool, as workloads/runtimes/forkjoinpool.c calls them. As its documentation has it: one
 * half forked, the other computed, then joined, the latest first; invokeAll for two actions; CountedCompleter where
 * nothing is waited for.
 */
@SuppressWarnings("serial")
final class ForkJoin {
    private static ForkJoinPool pool;
    private static long[] numbers;

    private ForkJoin() {}

    /** Binds the calling thread, worker number from 0, as far as the machine allows it. */
    private static native void takePlace(int worker);

    /** Waits for the other workers, for a tenth of a second at most. */
    private static native void arrive();

    /** Serves a request. */
    private static native void serve(long request);

    /** A thread of the pool, with what it counts in a run, apart from the cache lines of others. */
    private static final class Worker extends ForkJoinWorkerThread {
        private static final int APART = 16, COUNTS = 3;
        private static final Queue<Worker> ALL = new ConcurrentLinkedQueue<>();
        private static final AtomicInteger STARTED = new AtomicInteger();
        private final long[] counts = new long[COUNTS + 2 * APART];

        Worker(ForkJoinPool pool) {
            super(pool);
            ALL.add(this);
        }

        @Override
        protected void onStart() {
            takePlace(STARTED.getAndIncrement());
        }
    }

    /** A worker: one more of that kind, of three. */
    static void count(int kind) {
        ((Worker) Thread.currentThread()).counts[Worker.APART + kind]++;
    }

    /** A worker: the most of that kind is now at least so much. */
    static void countMost(int kind, long value) {
        long[] counts = ((Worker) Thread.currentThread()).counts;
        counts[Worker.APART + kind] = Math.max(counts[Worker.APART + kind], value);
    }

    private static void countFromZero() {
        for (Worker worker : Worker.ALL)
            Arrays.fill(worker.counts, 0);
    }

    /** Of all workers: the sums of the three kinds, or of the last the most. */
    private static long[] counted(boolean most) {
        long[] sum = new long[Worker.COUNTS];
        for (Worker worker : Worker.ALL)
            for (int kind = 0; kind < sum.length; kind++) {
                long value = worker.counts[Worker.APART + kind];
                sum[kind] = most && kind == sum.length - 1 ? Math.max(sum[kind], value) : sum[kind] + value;
            }
        return sum;
    }

    static void start(int threads) {
        pool = new ForkJoinPool(threads, Worker::new, null, false);
    }

    static void submit(long request) {
        pool.execute(() -> serve(request));
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

    private static final class Sort extends RecursiveAction {
        private final long[] values;
        private final int from, to, cutoff, levels;

        Sort(long[] values, int from, int to, int cutoff, int levels) {
            this.values = values;
            this.from = from;
            this.to = to;
            this.cutoff = cutoff;
            this.levels = levels;
        }

        @Override
        protected void compute() {
            int middle = Quicksort.step(values, from, to, cutoff, levels);
            if (middle > from)
                invokeAll(new Sort(values, from, middle, cutoff, levels - 1),
                          new Sort(values, middle, to, cutoff, levels - 1));
        }
    }

    /** What is sorted next: the array that C fills before and reads afterwards. */
    static long[] numbers(int count) {
        if (numbers == null || numbers.length != count)
            numbers = new long[count];
        return numbers;
    }

    static void sort(int cutoff, int levels, boolean own) {
        if (own)
            pool.submit(() -> Arrays.parallelSort(numbers)).join();
        else
            pool.invoke(new Sort(numbers, 0, numbers.length, cutoff, levels));
    }

    private static final int NODES = 0, LEAVES = 1, DEEPEST = 2;

    private static final class Search extends CountedCompleter<Void> {
        private final Tree tree;
        private final Tree.Node node;

        Search(CountedCompleter<?> parent, Tree tree, Tree.Node node) {
            super(parent);
            this.tree = tree;
            this.node = node;
        }

        @Override
        public void compute() {
            int children = tree.childrenOf(node);
            count(NODES);
            if (children == 0)
                count(LEAVES);
            countMost(DEEPEST, node.depth);
            setPendingCount(children);
            for (int i = 0; i < children; i++)
                new Search(this, tree, node.child(i)).fork();
            tryComplete();
        }
    }

    static long[] search(int kind, int shape, double branching, double depth, double inner, int children,
                         double geometricPart, int seed) {
        Tree tree = new Tree(kind, shape, branching, depth, inner, children, geometricPart);
        countFromZero();
        pool.invoke(new Search(null, tree, Tree.Node.root(seed)));
        return counted(true);
    }

    /** How many directories, files and links there are below that path, itself included. */
    static long[] walk(String path) {
        countFromZero();
        pool.invoke(new Walk(null, Path.of(path)));
        return counted(false);
    }
}

import java.util.Arrays;

/** The sort of workloads/applications/quicksort/partition.h, step by step, where its comments say why. */
final class Quicksort {
    private static final int BLOCK = 64;

    private Quicksort() {}

    private static void byInsertion(long[] values, int from, int to) {
        for (int i = from + 1; i < to; i++) {
            long value = values[i];
            int j = i;
            for (; j > from && value < values[j - 1]; j--)
                values[j] = values[j - 1];
            values[j] = value;
        }
    }

    private static long medianOfThree(long a, long b, long c) {
        long low = Math.min(a, b), high = Math.max(a, b);
        return Math.max(low, Math.min(high, c));
    }

    private static long pivotOf(long[] values, int from, int to) {
        int count = to - from, middle = from + count / 2, last = to - 1, step = count / 8;
        if (count < 128)
            return medianOfThree(values[from], values[middle], values[last]);
        return medianOfThree(medianOfThree(values[from], values[from + step], values[from + 2 * step]),
                             medianOfThree(values[middle - step], values[middle], values[middle + step]),
                             medianOfThree(values[last - 2 * step], values[last - step], values[last]));
    }

    private static void exchange(long[] values, int a, int b) {
        long value = values[a];
        values[a] = values[b];
        values[b] = value;
    }

    /** Places within a block whose values belong to the other side, not exchanged yet. */
    private static final class Misplaced {
        int size = BLOCK, next, waiting;
        final byte[] places = new byte[BLOCK];

        /** The values from `from` upwards that are not below the pivot. */
        void findLeft(long[] values, int from, long pivot) {
            int found = 0;
            for (int i = 0; i < size; i++) {
                places[found] = (byte) i;
                found += values[from + i] >= pivot ? 1 : 0;
            }
            next = 0;
            waiting = found;
        }

        /** The values from `to` - 1 downwards that are not above the pivot. */
        void findRight(long[] values, int to, long pivot) {
            int found = 0;
            for (int i = 0; i < size; i++) {
                places[found] = (byte) i;
                found += values[to - 1 - i] <= pivot ? 1 : 0;
            }
            next = 0;
            waiting = found;
        }
    }

    private static int separateEqual(long[] values, int from, int to, long pivot, boolean smallest) {
        int lower = from;
        for (int i = from; i < to; i++)
            if (smallest ? values[i] <= pivot : values[i] < pivot)
                exchange(values, i, lower++);
        return lower;
    }

    private static int partition(long[] values, int from, int to) {
        long pivot = pivotOf(values, from, to);
        int left = from, right = to;
        Misplaced lower = new Misplaced(), upper = new Misplaced();
        for (boolean last = false; !last;) {
            int rest = right - left;
            last = rest <= 2 * BLOCK;
            if (last) {
                lower.size = lower.waiting > 0 ? BLOCK : upper.waiting > 0 ? rest - BLOCK : rest / 2;
                upper.size = rest - lower.size;
            }
            if (lower.waiting == 0)
                lower.findLeft(values, left, pivot);
            if (upper.waiting == 0)
                upper.findRight(values, right, pivot);
            int pairs = Math.min(lower.waiting, upper.waiting);
            for (int i = 0; i < pairs; i++)
                exchange(values, left + lower.places[lower.next + i], right - 1 - upper.places[upper.next + i]);
            lower.next += pairs;
            lower.waiting -= pairs;
            upper.next += pairs;
            upper.waiting -= pairs;
            if (!last && lower.waiting == 0)
                left += BLOCK;
            if (!last && upper.waiting == 0)
                right -= BLOCK;
        }
        int middle = left + lower.size;
        while (lower.waiting > 0)
            exchange(values, left + lower.places[lower.next + --lower.waiting], --middle);
        while (upper.waiting > 0)
            exchange(values, right - 1 - upper.places[upper.next + --upper.waiting], middle++);
        return middle > from && middle < to ? middle : separateEqual(values, from, to, pivot, middle == from);
    }

    /** Where the second of two sides begins that both have to be sorted; from: the piece is sorted. */
    static int step(long[] values, int from, int to, int cutoff, int levels) {
        if (to - from > cutoff && levels > 0)
            return partition(values, from, to);
        if (to - from > cutoff)
            Arrays.sort(values, from, to); // its worst case is n log n as well
        else
            byInsertion(values, from, to);
        return from;
    }
}

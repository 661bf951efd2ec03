import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The trees of workloads/applications/uts/tree.h, with the numbers of its enumerations. */
final class Tree {
    private static final int BINOMIAL = 0, GEOMETRIC = 1; // and hybrid
    private static final int LINEAR = 0, CYCLIC = 1;      // and fixed
    private static final int CHILDREN_MAX = 100; // of any node but a binomial tree's root
    private static final int STATE = 20;

    private final int kind, shape, children;
    private final double branching, depth, inner, geometricPart;

    Tree(int kind, int shape, double branching, double depth, double inner, int children, double geometricPart) {
        this.kind = kind;
        this.shape = shape;
        this.branching = branching;
        this.depth = depth;
        this.inner = inner;
        this.children = children;
        this.geometricPart = geometricPart;
    }

    static final class Node {
        private static final ThreadLocal<MessageDigest> SHA_1 = ThreadLocal.withInitial(() -> {
            try {
                return MessageDigest.getInstance("SHA-1");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e); // every Java has it
            }
        });
        private final byte[] state;
        final int depth;

        private Node(byte[] message, int depth) {
            this.state = SHA_1.get().digest(message);
            this.depth = depth;
        }

        private static void putNumber(byte[] bytes, int at, int number) {
            for (int i = 0; i < 4; i++)
                bytes[at + i] = (byte) (number >>> (24 - 8 * i));
        }

        static Node root(int seed) {
            byte[] message = new byte[STATE];
            putNumber(message, STATE - 4, seed);
            return new Node(message, 0);
        }

        Node child(int number) {
            byte[] message = java.util.Arrays.copyOf(state, STATE + 4);
            putNumber(message, STATE, number);
            return new Node(message, depth + 1);
        }

        /** What a node draws, in 0 to 1: 31 bits of its state. */
        private double drawn() {
            int bits = 0;
            for (int i = STATE - 4; i < STATE; i++)
                bits = bits << 8 | state[i] & 0xff;
            return (bits & 0x7fffffff) / 2147483648.0;
        }
    }

    /** Mean number of children at that depth. */
    private double meanChildren(int at) {
        if (at == 0)
            return branching;
        switch (shape) {
        case LINEAR:
            return branching * (1 - at / depth);
        case CYCLIC:
            return at > 5 * depth ? 0 : Math.pow(branching, Math.sin(2 * 3.141592653589793 * at / depth));
        default:
            return at < depth ? branching : 0;
        }
    }

    private int geometricChildren(Node node) {
        double stop = 1 / (1 + meanChildren(node.depth));
        double wanted = Math.floor(Math.log(1 - node.drawn()) / Math.log(1 - stop));
        return wanted > 0 ? (int) Math.min(wanted, CHILDREN_MAX) : 0;
    }

    int childrenOf(Node node) {
        switch (kind) {
        case BINOMIAL:
            return node.depth == 0 ? (int) branching : binomialChildren(node);
        case GEOMETRIC:
            return geometricChildren(node);
        default:
            return node.depth < geometricPart * depth ? geometricChildren(node) : binomialChildren(node);
        }
    }

    private int binomialChildren(Node node) {
        return node.drawn() < inner ? children : 0;
    }
}

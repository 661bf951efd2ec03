/* tree_hash.c: the SHA-1 behind the trees, from OpenSSL's libcrypto where there is one. */
#define OPENSSL_SUPPRESS_DEPRECATED /* its one-block interface is the fast one: the other looks the algorithm up */
#include "workloads/applications/uts/tree.h"
#include <string.h>
#if __has_include(<openssl/sha.h>)
#include <openssl/sha.h>

const char *tree_unsupported(void) { return NULL; }

static void put_number(uint8_t *bytes, uint32_t number) {
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> (24 - 8 * i));
}

/* SHA-1 of a message that fits one block of 64 bytes, with its padding: a 1, zeros, the length in bits. */
static void hash_block(uint8_t *block, size_t bytes, uint8_t *digest) {
    SHA_CTX context;
    block[bytes] = 0x80;
    memset(block + bytes + 1, 0, 60 - bytes - 1);
    put_number(block + 60, (uint32_t)bytes * 8);
    SHA1_Init(&context);
    SHA1_Transform(&context, block);
    put_number(digest, context.h0);
    put_number(digest + 4, context.h1);
    put_number(digest + 8, context.h2);
    put_number(digest + 12, context.h3);
    put_number(digest + 16, context.h4);
}

void tree_root(const struct tree *tree, struct tree_node *root) {
    uint8_t block[64] = {0};
    put_number(block + 16, tree->seed);
    hash_block(block, TREE_STATE, root->state);
    root->depth = 0;
}

void tree_child(const struct tree_node *parent, uint32_t number, struct tree_node *child) {
    uint8_t block[64];
    memcpy(block, parent->state, TREE_STATE);
    put_number(block + TREE_STATE, number);
    hash_block(block, TREE_STATE + 4, child->state);
    child->depth = parent->depth + 1;
}

#else

const char *tree_unsupported(void) { return "built without libcrypto (Debian: libssl-dev), which has the SHA-1"; }
void tree_root(const struct tree *tree, struct tree_node *root) { (void)tree, (void)root; }
void tree_child(const struct tree_node *parent, uint32_t number, struct tree_node *child) {
    (void)parent, (void)number, (void)child;
}

#endif

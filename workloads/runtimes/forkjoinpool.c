/* forkjoinpool.c: the application workloads on Java's ForkJoinPool, whose half is in forkjoinpool/, in a virtual
 * machine inside this process. It warms up until its times are steady (runtime.h), because it compiles while it runs,
 * and each of the pool's threads takes the place that our workers have; the machine's other threads (compiler,
 * collector) share these processors. */
#include "workloads/runtimes/foreign.h"
#include <jni.h>
#include <unistd.h>

#define WARM_UP_SECONDS 20       /* seconds */
#define CLASSES_FOLDER "../java" /* from where this executable lies */

static JNIEnv *env; /* the main thread's */
static JavaVM *machine;
static jclass forkjoin;
static _Thread_local JNIEnv *generator; /* the thread's that hands over requests */
static jmethodID submit;

/* "17.0.15" of JAVA_VERSION="17.0.15", which the file `release` of every Java says. */
const char *runtime_title(void) {
    static char title[128] = "Java's ForkJoinPool, version not told";
    char line[128];
    FILE *release = fopen(JAVA_FOLDER "/release", "re");
    while (release && fgets(line, sizeof line, release))
        if (sscanf(line, "JAVA_VERSION=\"%60[^\"]\"", line) == 1)
            snprintf(title, sizeof title, "Java's ForkJoinPool %.60s", line);
    if (release)
        fclose(release);
    return title;
}

/* Prints Java's exception, if there is one. */
static bool thrown(void) {
    if (!(*env)->ExceptionCheck(env))
        return false;
    (*env)->ExceptionDescribe(env);
    return true;
}

static jmethodID method(const char *name, const char *signature) {
    jmethodID found = (*env)->GetStaticMethodID(env, forkjoin, name, signature);
    if (!found) {
        thrown();
        exit(3);
    }
    return found;
}

static void JNICALL take_place(JNIEnv *caller, jclass class, jint worker) {
    (void)caller, (void)class;
    runtime_take_place((unsigned)worker);
}

static void JNICALL arrive(JNIEnv *caller, jclass class) {
    (void)caller, (void)class;
    runtime_arrive();
}

static void JNICALL serve(JNIEnv *caller, jclass class, jlong request) {
    (void)caller, (void)class;
    foreign_serve((uint64_t)request);
}

static void class_path_option(char *option, size_t size) {
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *last = strrchr(self, '/');
    if (last)
        *last = '\0';
    snprintf(option, size, "-Djava.class.path=%s/" CLASSES_FOLDER, self);
}

static int start_machine(void) {
    static char classes[4200];
    class_path_option(classes, sizeof classes);
    /* Joined tasks nest on the stack as deep as the work; this is the largest stack that Java allows. */
    JavaVMOption options[] = {{classes, NULL}, {(char *)"-Xss1g", NULL}, {(char *)"-XX:-UsePerfData", NULL}};
    JavaVMInitArgs arguments = {JNI_VERSION_10, sizeof options / sizeof options[0], options, JNI_FALSE};
    if (JNI_CreateJavaVM(&machine, (void **)&env, &arguments) != JNI_OK) {
        fprintf(stderr, "stealbench: no Java virtual machine can be started\n");
        return 3;
    }
    jclass found = (*env)->FindClass(env, "ForkJoin");
    const JNINativeMethod natives[] = {{(char *)"takePlace", (char *)"(I)V", (void *)take_place},
                                       {(char *)"arrive", (char *)"()V", (void *)arrive},
                                       {(char *)"serve", (char *)"(J)V", (void *)serve}};
    if (!found || (*env)->RegisterNatives(env, found, natives, sizeof natives / sizeof natives[0]) != 0) {
        thrown();
        return 3;
    }
    forkjoin = (*env)->NewGlobalRef(env, found);
    return 0;
}

/* Java sorts an array of its own. */
static jlongArray numbers_of(size_t count) {
    jobject array = (*env)->CallStaticObjectMethod(env, forkjoin, method("numbers", "(I)[J"), (jint)count);
    return thrown() ? NULL : (jlongArray)array;
}

static bool give(const int64_t *values, size_t count) {
    jlongArray array = numbers_of(count);
    if (!array)
        return false;
    (*env)->SetLongArrayRegion(env, array, 0, (jsize)count, (const jlong *)values);
    (*env)->DeleteLocalRef(env, array);
    return true;
}

static void take(int64_t *values, size_t count) {
    jlongArray array = numbers_of(count);
    if (!array)
        return;
    (*env)->GetLongArrayRegion(env, array, 0, (jsize)count, (jlong *)values);
    (*env)->DeleteLocalRef(env, array);
}

int foreign_start(uint32_t threads) {
    runtime_warm_up_seconds = WARM_UP_SECONDS;
    sorting_give = give;
    sorting_take = take;
    runtime_bind_process();
    int failure = start_machine();
    if (failure != 0)
        return failure;
    (*env)->CallStaticVoidMethod(env, forkjoin, method("start", "(I)V"), (jint)threads);
    return thrown() ? 3 : 0;
}

void foreign_attach(bool attached) {
    if (!attached) {
        (*machine)->DetachCurrentThread(machine);
        return;
    }
    if ((*machine)->AttachCurrentThreadAsDaemon(machine, (void **)&generator, NULL) != JNI_OK ||
        !(submit = (*generator)->GetStaticMethodID(generator, forkjoin, "submit", "(J)V"))) {
        fprintf(stderr, "stealbench: the generator's thread cannot call Java\n");
        exit(3);
    }
}

void foreign_submit(uint64_t request) {
    (*generator)->CallStaticVoidMethod(generator, forkjoin, submit, (jlong)request);
}

void foreign_gather(void) {
    (*env)->CallStaticVoidMethod(env, forkjoin, method("gather", "()V"));
    thrown();
}

/* The result of a Java method of two integers. UINT64_MAX, which is never right, if it threw: then the check fails. */
static uint64_t number_of(const char *name, uint32_t first, uint32_t second) {
    jlong number = (*env)->CallStaticLongMethod(env, forkjoin, method(name, "(II)J"), (jint)first, (jint)second);
    return thrown() ? UINT64_MAX : (uint64_t)number;
}

uint64_t foreign_fib(uint32_t n, uint32_t cutoff) { return number_of("fib", n, cutoff); }
uint64_t foreign_nqueens(uint32_t side, uint32_t cutoff) { return number_of("nqueens", side, cutoff); }

void foreign_sort(int64_t *values, size_t count, size_t cutoff, uint32_t levels, bool own) {
    (void)values, (void)count;
    (*env)->CallStaticVoidMethod(env, forkjoin, method("sort", "(IIZ)V"), (jint)cutoff, (jint)levels, (jboolean)own);
    thrown();
}

/* Three numbers that a method returns; zeros, which are never right, if it threw. */
static void three_of(jobject array, uint64_t three[3]) {
    memset(three, 0, 3 * sizeof *three);
    if (thrown())
        return;
    (*env)->GetLongArrayRegion(env, (jlongArray)array, 0, 3, (jlong *)three);
    (*env)->DeleteLocalRef(env, array);
}

void foreign_search(const struct tree *tree, struct tree_count *counts) {
    uint64_t found[3];
    three_of((*env)->CallStaticObjectMethod(env, forkjoin, method("search", "(IIDDDIDI)[J"), (jint)tree->type,
                                            (jint)tree->shape, tree->branching, (jdouble)tree->depth, tree->inner,
                                            (jint)tree->children, tree->geometric_part, (jint)tree->seed),
             found);
    counts[0].nodes = found[0], counts[0].leaves = found[1], counts[0].deepest = found[2];
}

void foreign_walk(void *walking) {
    uint64_t found[3];
    jstring path = (*env)->NewStringUTF(env, walking_path(walking));
    three_of((*env)->CallStaticObjectMethod(env, forkjoin, method("walk", "(Ljava/lang/String;)[J"), path), found);
    walking_found(walking, found[0], found[1], found[2]);
}

static const char *sort_unsupported(const struct cell *cell) {
    return cell_integer(cell, "size") > (1 << 30) - 8 ? "an array of Java's has no room for so many" : NULL;
}
FOREIGN_WORKLOADS("Java's ForkJoinPool", sort_unsupported);

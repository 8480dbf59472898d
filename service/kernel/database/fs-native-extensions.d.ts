/** The functions that we use of fs-native-extensions, which has no types. */
declare module 'fs-native-extensions' {
  const extensions: {
    /**
     * Locks an open file for this open descriptor alone, without waiting: OFD locks on Linux, `flock` on
     * macOS, `LockFileEx` on Windows. The operating system gives the lock back when the descriptor is
     * closed, however its process ends.
     * @returns false while another descriptor holds the lock.
     */
    tryLock(descriptor: number): boolean;
  };
  export default extensions;
}

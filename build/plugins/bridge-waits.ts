/**
 * `python3` and `js-exec` wait for the answer to a call until it is there. The worker sets an answer's status first
 * and wakes the guest's thread after; a thread that saw the status without sleeping is then already in its next
 * call, and just-bash took the late wake-up for that call's answer ("Error code: 0", `[Errno 29] I/O error`).
 * The other side, `waitUntilReady`, waits in a loop by itself.
 */
import type { TextChange } from "./change-text.ts";

/** A change of the class `ProtocolBuffer`, the same text in the threads of `python3` and `js-exec`. */
export const RESULT_WAIT: TextChange = [
  `  waitForResult(timeout) {
    return _Atomics.wait(
      this.int32View,
      Offset.STATUS / 4,
      Status.READY,
      timeout
    );
  }`,
  `  waitForResult(timeout) {
    const end = _performanceNow() + timeout;
    for (;;) {
      const left = end - _performanceNow();
      // After a wake-up ("ok") the status is compared again: "not-equal" is an answer.
      const woken = _Atomics.wait(this.int32View, Offset.STATUS / 4, Status.READY, left);
      if (woken !== "ok") return woken;
    }
  }`,
];

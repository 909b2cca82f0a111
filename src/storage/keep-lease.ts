/** The beat of a lease: renewed three times per lease while its owner lives, given up when that fails for too long. */

export interface KeepLeaseOptions {
  readonly leaseMs: number;
  /** `false`: it is given up after `leaseMs`. */
  readonly isRenewed: boolean;
  /** `false`: another has it. Rejects when that cannot be told. */
  readonly renew: () => Promise<boolean>;
  /** Called once it is known, or must be feared, that the lease is lost. */
  readonly lose: () => void;
}

/** Begins to keep a lease that was just had. What is returned ends it, and waits for a renewal under way. */
export function keepLease({ leaseMs, isRenewed, renew, lose }: KeepLeaseOptions): () => Promise<void> {
  let heardAtMs = performance.now();
  let renewing: Promise<void> = Promise.resolve();
  let isUnderWay = false;
  const isLate = () => performance.now() - heardAtMs >= leaseMs;
  const end = () => {
    clearInterval(timer);
    lose();
  };
  const beat = async () => {
    isUnderWay = true;
    try {
      if (await renew()) heardAtMs = performance.now();
      else end();
    } catch {
      // A disk or a server that is away may come back; without it the lease runs out, as for one who died.
      if (isLate()) end();
    } finally {
      isUnderWay = false;
    }
  };
  const timer = isRenewed
    ? setInterval(() => {
        if (!isUnderWay) renewing = beat();
        else if (isLate()) end();
      }, leaseMs / 3)
    : setInterval(end, leaseMs);
  // Holding a lock is no reason for a process to stay.
  timer.unref();
  return () => {
    clearInterval(timer);
    return renewing;
  };
}

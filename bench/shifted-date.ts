/**
 * Lets the wall clock of this process jump ahead, for libraries that read it themselves. Timers go on as
 * they are.
 */
export interface ShiftedDate {
  advance(ms: number): void;
  /** Puts the real clock back. */
  restore(): void;
}

export function shiftDate(): ShiftedDate {
  const RealDate = Date;
  let offset = 0;
  globalThis.Date = new Proxy(RealDate, {
    get: (target, name) =>
      name === 'now' ? () => target.now() + offset : (Reflect.get(target, name) as unknown),
    construct: (target, args: unknown[], newTarget: typeof RealDate) =>
      Reflect.construct(
        target,
        args.length === 0 ? [target.now() + offset] : args,
        newTarget,
      ) as Date,
  });
  return {
    advance: (ms) => {
      offset += ms;
    },
    restore: () => {
      globalThis.Date = RealDate;
    },
  };
}

/** A value that is set once; whoever asks before gets it then. */
export class Once<T> {
  value: T | undefined = undefined;
  private waiting: ((value: T) => void)[] | undefined = undefined;

  on(fn: (value: T) => void): void {
    if (this.value !== undefined) fn(this.value);
    else (this.waiting ??= []).push(fn);
  }

  /** `first` runs when the value is there to read, before those who wait get it. */
  set(value: T, first?: () => void): void {
    this.value = value;
    first?.();
    const { waiting } = this;
    this.waiting = undefined;
    for (const fn of waiting ?? []) fn(value);
  }
}

/** What a compiled expression can see. `S` is the scope object of a run; expr knows nothing of flows. */
export interface Env<S> {
  /** Getter for a root name, or undefined when there is no such root. */
  root(name: string): ((scope: S) => unknown) | undefined;
  /**
   * Getter for the first member of a root, resolved at compile time (`nodes.<id>`, `nodes["id"]`). It is asked before
   * `root`; undefined leaves the path to `root`. With `tolerant` the getter gives undefined for an absent member
   * instead of throwing.
   */
  member?(root: string, name: string, tolerant: boolean): ((scope: S) => unknown) | undefined;
  /** A regex engine that needs linear time, for `matches(text, pattern)`. */
  regex?: (pattern: string) => { test(text: string): boolean };
}

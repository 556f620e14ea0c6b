import type { PatternMatch, Regex } from './tools.ts';

/** A pattern as `RE2JS.compile` gives it. */
interface Compiled {
  matcher(text: string): {
    find(): boolean;
    group(group?: number): string | null;
    start(): number;
    groupCount(): number;
    getNamedGroups(): Record<string, string | null>;
  };
}

/** A pattern of the engine of patterns in linear time, which callers load when they need it. */
export function linearRegexOf(compiled: Compiled): Regex {
  return {
    test: (text) => compiled.matcher(text).find(),
    *matches(text): Generator<PatternMatch, void, undefined> {
      const matcher = compiled.matcher(text);
      while (matcher.find()) {
        yield {
          text: matcher.group() ?? '',
          index: matcher.start(),
          groups: Array.from({ length: matcher.groupCount() }, (_, i) => matcher.group(i + 1)),
          named: { ...matcher.getNamedGroups() },
        };
      }
    },
  };
}

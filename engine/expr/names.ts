const forbidden: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Names that lead from data to code. They are not allowed as keys, fields or names anywhere in the language. */
export function isForbidden(name: string): boolean {
  return forbidden.has(name);
}

const longestCompared = 64;
const mostCompared = 500;

/** The candidate that `name` was probably meant to be, or undefined if none is close. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length === 0 || name.length > longestCompared) return undefined;
  let best: string | undefined;
  let bestDistance = 1 + Math.max(1, Math.floor(name.length / 3));
  let seen = 0;
  for (const candidate of candidates) {
    if (++seen > mostCompared) break;
    if (candidate === name || isForbidden(candidate)) continue;
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance && distance < name.length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Edit distance: insertions, deletions, changed letters and swapped neighbours count one each. */
function editDistance(a: string, b: string): number {
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, at(previous, j - 1) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, at(older, j - 2) + 1);
      row.push(cost);
    }
    older = previous;
    previous = row;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}

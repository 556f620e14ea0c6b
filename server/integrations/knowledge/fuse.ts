import type { KnowledgeHit } from '#shared/knowledge.ts';

/** A chunk of one ranking. */
export interface Ranked {
  readonly id: number;
  readonly score: number;
}

/** Its rank and score in each ranking. */
type Places = Readonly<Record<keyof KnowledgeHit['why'], { rank: number; score: number } | null>>;

export interface Fused {
  readonly id: number;
  /** From 0 to 1, never rising down the list; 1 for the chunk that every non-empty ranking has first. */
  readonly score: number;
  readonly why: Places;
}

/** The usual constant of reciprocal rank fusion: a larger one reduces the weight of the first ranks. */
const K = 60;

interface Entry {
  readonly id: number;
  readonly score: number;
  readonly why: Places;
  /** The last rank that it may get, from 1. */
  readonly latest: number;
}

/**
 * Fuses rankings by reciprocal rank: only ranks count, because scores cannot be compared. A chunk that only one ranking has
 * found, such as the one with the requested error code, would sink below everything that both have found. So no chunk ranks below
 * twice its best rank: the first of either ranking is among the first two, as if the two were dealt in turn.
 */
export function fuse(rankings: Readonly<Record<keyof Places, readonly Ranked[]>>, limit: number): Fused[] {
  const left = entriesOf(rankings);
  const placed: Entry[] = [];
  while (placed.length < limit && left.length > 0) {
    const at = nextOf(left, placed.length);
    placed.push(...left.splice(at, 1));
  }
  let score = 0;
  return placed
    .toReversed()
    .map(({ id, why, ...own }) => {
      score = Math.max(score, own.score);
      return { id, score, why };
    })
    .toReversed();
}

/** The best first. */
function entriesOf(rankings: Readonly<Record<keyof Places, readonly Ranked[]>>): Entry[] {
  const found = new Map<number, { sum: number; why: { -readonly [K in keyof Places]: Places[K] } }>();
  const used = Object.values(rankings).filter(({ length }) => length > 0).length;
  for (const [name, list] of Object.entries(rankings) as [keyof Places, readonly Ranked[]][])
    for (const [at, { id, score }] of list.entries()) {
      const entry = found.get(id) ?? { sum: 0, why: { words: null, meaning: null } };
      entry.sum += 1 / (K + at + 1);
      entry.why[name] = { rank: at + 1, score };
      found.set(id, entry);
    }
  return [...found]
    .map(([id, { sum, why }]) => {
      const best = Math.min(...Object.values(why).map((place) => place?.rank ?? Number.POSITIVE_INFINITY));
      return { id, score: (sum * (K + 1)) / used, why, latest: best * used };
    })
    .sort((a, b) => b.score - a.score || a.id - b.id);
}

/** The best one, unless chunks that may not come later need all ranks up to some limit. */
function nextOf(left: readonly Entry[], placed: number): number {
  const due = left
    .map(({ latest }, at) => ({ latest, at }))
    .sort((a, b) => a.latest - b.latest || a.at - b.at);
  for (const [n, { latest }] of due.entries())
    if (latest - placed === n + 1) return Math.min(...due.slice(0, n + 1).map(({ at }) => at));
  return 0;
}

import type { RoundRow, RunEvent } from '#shared/run-event.ts';
import type { NodeRun, ShownRun } from './run-store.ts';

/**
 * Rounds of bodies in the run on the canvas. A place names the rounds that a node is in, outermost first: `loop#3/group#0`. All nodes of
 * a body show one round, the picked one; each container then has one path of rounds down to it.
 */

/** All rounds of a container, once they have ended. */
export interface RoundCount {
  readonly count: number;
  readonly failed: number;
  /** The cost of all rounds together, in US dollars. */
  readonly cost?: number | undefined;
  /** The rounds that the run tells of; of thousands the first, the failed and the slowest ones. */
  readonly rows: readonly RoundRow[];
}

/** One round of a container, whose events are kept. */
export interface RoundRecord {
  /** `loop#3/group#0`. */
  readonly place: string;
  /** Its number among the rounds of its container, from 0. */
  readonly number: number;
  /** Which attempt at the item it was, from 1. */
  readonly attempt: number;
  readonly status: 'running' | 'ok' | 'failed';
  /** Milliseconds from start to end; undefined while it runs. */
  readonly ms: number | undefined;
  /** The `id` of its item, or the item itself if it is short. */
  readonly key: string | undefined;
}

/** The rounds at the start of a run: none yet. */
export const NO_ROUNDS: Pick<ShownRun, 'inRounds' | 'rounds' | 'picked'> = {
  inRounds: {},
  rounds: {},
  picked: {},
};

type Changing = { -readonly [K in 'inRounds' | 'rounds']: ShownRun[K] };

/** The changes of rounds by several events. Records are copied once for all of them. */
export class RoundChanges {
  areChanged = false;
  private places: Record<string, Record<string, NodeRun>> | undefined;
  private readonly copied = new Set<string>();

  /** A node of a body has changed. */
  change(
    run: Changing,
    { round, node }: { readonly round: string; readonly node: string },
    change: (node: NodeRun | undefined) => NodeRun,
  ): void {
    const nodes = this.nodesAt(run, round);
    nodes[node] = change(nodes[node]);
    this.areChanged = true;
  }

  /** All rounds of a container have ended. */
  count(run: Changing, event: Extract<RunEvent, { kind: 'node-rounds' }>): void {
    const { node, round, count, failed, cost, rows = [] } = event;
    const place = round === undefined ? node : `${round}/${node}`;
    run.rounds = { ...run.rounds, [place]: { count, failed, cost, rows } };
    this.areChanged = true;
  }

  private nodesAt(run: Changing, place: string): Record<string, NodeRun> {
    this.places ??= { ...run.inRounds };
    run.inRounds = this.places;
    if (!this.copied.has(place)) this.places[place] = { ...this.places[place] };
    this.copied.add(place);
    return this.places[place] as Record<string, NodeRun>;
  }
}

/** The run with the nodes of bodies as in the picked rounds. */
export function withPicked(run: ShownRun): ShownRun {
  const places = Object.keys(run.inRounds);
  if (places.length === 0) return run;
  const inner = new Set(places.flatMap((place) => Object.keys(run.inRounds[place] ?? {})));
  const own = Object.entries(run.nodes).filter(([id]) => !inner.has(id));
  const shown = [...pickedPlaces(run).values()].flatMap((place) => Object.entries(run.inRounds[place] ?? {}));
  return { ...run, nodes: Object.fromEntries([...own, ...shown]) };
}

/** Shows another round of a container. */
export function pickRound(run: ShownRun, { place }: Pick<RoundRecord, 'place'>): ShownRun {
  const name = lastOf(place);
  return withPicked({ ...run, picked: { ...run.picked, [containerOf(name)]: name } });
}

/** Whether a container has begun a round that the run tells of. */
export function hasRounds(
  { rounds, inRounds }: Pick<ShownRun, 'rounds' | 'inRounds'>,
  container: string,
): boolean {
  if (rounds[container] !== undefined) return true;
  return Object.keys(inRounds).some((place) =>
    place.split('/').some((name) => containerOf(name) === container),
  );
}

/** The rounds of a container that are kept, within the picked rounds of those around it; in order. */
export function roundsOf(run: ShownRun, container: string): RoundRecord[] {
  const around = aroundOf(run, container);
  return around === undefined
    ? []
    : namesAt(run, around, container).map((name) => recordOf(run, around, name));
}

/** The first round of a container that failed, of those that are kept, and the node in it that did. */
export function firstFailed(
  run: ShownRun,
  container: string,
): { readonly round: RoundRecord; readonly node: string | undefined } | undefined {
  const round = roundsOf(run, container).find(({ status }) => status === 'failed');
  const nodes = Object.entries(run.inRounds[round?.place ?? ''] ?? {});
  return round && { round, node: nodes.find(([, { status }]) => status === 'failed')?.[0] };
}

/** How many rounds a container had, also those that are not kept. */
export function countOf(run: ShownRun, container: string): RoundCount | undefined {
  const around = aroundOf(run, container);
  return around === undefined ? undefined : run.rounds[`${around}${container}`];
}

/** The picked round of a container. */
export function pickedOf(run: ShownRun, container: string): RoundRecord | undefined {
  const place = pickedPlaces(run).get(container);
  return roundsOf(run, container).find((one) => one.place === place);
}

/** The key of a node in the round that is shown, as waits name it: `loop#3/ask`. `holder` is the container that the node is in. */
export function shownKey(run: ShownRun, node: string, holder: string | undefined): string {
  const place = holder === undefined ? undefined : pickedPlaces(run).get(holder);
  return place === undefined ? node : `${place}/${node}`;
}

/** For each container that has run, the round whose nodes are shown. */
function pickedPlaces(run: ShownRun): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (around: string): void => {
    const containers = new Set(stepsAt(run, around).map(containerOf));
    for (const container of containers) {
      const names = namesAt(run, around, container);
      const name = names.find((one) => one === run.picked[container]) ?? usual(run, around, names);
      if (name === undefined) continue;
      found.set(container, `${around}${name}`);
      visit(`${around}${name}/`);
    }
  };
  visit('');
  return found;
}

/** The first that failed, or else the first. */
function usual(run: ShownRun, around: string, names: readonly string[]): string | undefined {
  return names.find((name) => recordOf(run, around, name).status === 'failed') ?? names[0];
}

/** The places around a container, with a slash at the end; undefined if it did not run in the picked rounds. */
function aroundOf(run: ShownRun, container: string): string | undefined {
  if (run.rounds[container] !== undefined || namesAt(run, '', container).length > 0) return '';
  return [...pickedPlaces(run).values()]
    .map((place) => `${place}/`)
    .find((around) => run.rounds[`${around}${container}`] || namesAt(run, around, container).length > 0);
}

/** The names of rounds directly below a place. */
function stepsAt(run: ShownRun, around: string): string[] {
  const below = Object.keys(run.inRounds).filter((place) => place.startsWith(around));
  return [...new Set(below.map((place) => place.slice(around.length).split('/', 1)[0] as string))];
}

function namesAt(run: ShownRun, around: string, container: string): string[] {
  return stepsAt(run, around)
    .filter((name) => containerOf(name) === container)
    .sort((a, b) => numberOf(a) - numberOf(b) || attemptOf(a) - attemptOf(b));
}

function recordOf(run: ShownRun, around: string, name: string): RoundRecord {
  const place = `${around}${name}`;
  const below = Object.entries(run.inRounds).filter(([at]) => at === place || at.startsWith(`${place}/`));
  const nodes = below.flatMap(([, all]) => Object.values(all));
  const row = run.rounds[`${around}${containerOf(name)}`]?.rows.find((one) => one.place === name);
  return {
    place,
    number: numberOf(name),
    attempt: attemptOf(name),
    status: row ? statusOfRow(row) : statusOf(Object.values(run.inRounds[place] ?? {}), nodes),
    ms: row?.ms,
    key: row?.key,
  };
}

function statusOfRow({ status }: RoundRow): RoundRecord['status'] {
  if (status === undefined) return 'running';
  return status === 'ok' ? 'ok' : 'failed';
}

function statusOf(own: readonly NodeRun[], all: readonly NodeRun[]): RoundRecord['status'] {
  if (own.some(({ status, handled }) => status === 'failed' && (handled ?? 'no') === 'no')) return 'failed';
  const isOpen = ({ status }: NodeRun): boolean => status === 'running' || status === 'retrying';
  return all.some(isOpen) ? 'running' : 'ok';
}

/** `loop` of `loop#3@2`. */
function containerOf(name: string): string {
  return name.split(/[#@]/, 1)[0] as string;
}

function numberOf(name: string): number {
  return Number(/#(\d+)/.exec(name)?.[1] ?? 0);
}

function attemptOf(name: string): number {
  return Number(/@(\d+)/.exec(name)?.[1] ?? 1);
}

function lastOf(place: string): string {
  return place.slice(place.lastIndexOf('/') + 1);
}

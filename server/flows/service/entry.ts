import { allNodes } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import type { FlowRecord, LiveFlow } from './flow-types.ts';
import type { TriggerRoute } from './trigger-table.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { contentHash } from '../../base/files/content-hash.ts';
import { isLarge } from './examinations.ts';
import type { Examined } from './examine.ts';
import type { DraftNote } from './drafts.ts';
import type { FlowFile } from './flow-files.ts';
import { routesOf, type TriggerInfo } from './trigger-routes.ts';

/** Everything known about one flow: its files, its draft and the serving version. */
export interface Entry {
  readonly id: string;
  /** Files of this name in rank order. The first one is the flow; others are mistakes. */
  files: readonly FlowFile[];
  /** The first file's content. */
  file: Stored | undefined;
  draft: StoredDraft | undefined;
  serving: Serving | undefined;
}

/** A content on disk. */
export interface Stored {
  /** Hash of the bytes on disk. */
  readonly hash: string;
  /** Unix milliseconds. */
  readonly modifiedAt: number;
  readonly examined: Examined;
}

export interface StoredDraft extends Stored, DraftNote {}

export interface Serving {
  readonly live: LiveFlow;
  readonly triggers: readonly TriggerInfo[];
  readonly calls: readonly string[];
  readonly routes: readonly TriggerRoute[];
}

export function newEntry(id: string): Entry {
  return { id, files: [], file: undefined, draft: undefined, serving: undefined };
}

export function servingOf(id: string, examined: Examined): Serving | undefined {
  const { flow, version, triggers, calls } = examined;
  if (!flow) return undefined;
  const { plans } = examined;
  const live: LiveFlow = {
    id,
    version,
    flow,
    get toCompile() {
      return plans.isDone || !isLarge(examined) ? undefined : () => plans.inTurns();
    },
    get compiled() {
      return plans.all();
    },
  };
  return { live, triggers, calls, routes: routesOf(triggers).map((place) => ({ ...place, flow: live })) };
}

/** The content that is being edited. */
export function edited(entry: Entry): Stored | undefined {
  return entry.draft ?? entry.file;
}

/** Changes with every change of file or draft. */
export function revisionOf(entry: Entry): string {
  return contentHash(`${entry.file?.hash ?? ''} ${entry.draft?.hash ?? ''}`);
}

/** `current`: the flow's current revision, if known. */
export function revisionConflict(id: string, current: string | undefined): ServiceError {
  const found = {
    type: 'revision_conflict',
    loc: ['body', 'revision'],
    msg: 'It is now this one.',
    revision: current,
  };
  return new ServiceError('revision_conflict', `Flow ${id} was changed since you read it.`, {
    param: 'revision',
    ...(current !== undefined && { detail: [found] }),
  });
}

/** Whether the flow is written in code, which the server must not change. */
export function isCode(entry: Entry): boolean {
  return entry.files[0]?.code === true;
}

/** Whether its file serves. */
export function isLive(entry: Entry): boolean {
  return entry.file !== undefined && entry.serving?.live.version === entry.file.examined.version;
}

/** Whether its file could serve but does not. */
export function isWaiting(entry: Entry): boolean {
  return entry.file?.examined.runnable === true && !isLive(entry);
}

/** The operators of its file that this server lacks, each once. */
export function missingOperators({ file }: Entry): string[] {
  const { flow, problems } = file?.examined ?? NOTHING_EXAMINED;
  const nodes = flow === undefined ? {} : allNodes(flow);
  const missing = problems.flatMap(({ code, node }) =>
    code === 'unknown-operator' && node !== undefined ? (nodes[node]?.operator ?? []) : [],
  );
  return [...new Set(missing)].sort();
}

const NOTHING_EXAMINED: Pick<Examined, 'flow' | 'problems'> = { flow: undefined, problems: [] };

export function recordOf(entry: Entry, readOnly: boolean): FlowRecord {
  const { examined } = edited(entry) ?? NOTHING;
  const file = entry.files[0]?.shown ?? `${entry.id}.json`;
  return {
    id: entry.id,
    ...wordsOf(examined?.flow ?? entry.serving?.live.flow ?? NAMELESS, file),
    file,
    state: stateOf(entry),
    ...revisionsOf(entry),
    readOnly: readOnly || isCode(entry),
    problems: [...(examined?.problems ?? []), ...doubles(entry, 0)],
    triggers: triggersOf(entry),
    calls: callsOf(entry),
    ...connectionsOf(entry),
    updatedAt: updatedAt(entry),
  };
}

function wordsOf(
  { name, description, folder, tags }: Partial<Flow>,
  file: string,
): Pick<FlowRecord, 'name' | 'description' | 'folder' | 'tags'> {
  return {
    name,
    description,
    folder: folder ?? folderOf(file),
    tags: tags?.length === 0 ? undefined : tags,
  };
}

/** The folders of a file below the flows folder. */
function folderOf(file: string): string | undefined {
  const end = file.lastIndexOf('/');
  return end === -1 ? undefined : file.slice(0, end);
}

function revisionsOf(
  entry: Entry,
): Pick<FlowRecord, 'version' | 'live' | 'draft' | 'base' | 'revision' | 'hasDraft'> {
  const live = entry.serving?.live.version;
  const { draft } = entry;
  return {
    version: live,
    live,
    draft: draft?.examined.version,
    base: draft?.base,
    revision: revisionOf(entry),
    hasDraft: draft !== undefined,
  };
}

function stateOf(entry: Entry): FlowRecord['state'] {
  if (isLive(entry)) return 'live';
  return entry.file ? 'broken' : 'draft';
}

/** The triggers of the serving version, otherwise of the edited one. */
function triggersOf(entry: Entry): readonly TriggerInfo[] {
  return entry.serving?.triggers ?? edited(entry)?.examined.triggers ?? [];
}

/** The calls of the edited version, so that the editor shows calls that are being drawn. */
function callsOf(entry: Entry): readonly string[] {
  return edited(entry)?.examined.calls ?? [];
}

function connectionsOf(entry: Entry): Pick<FlowRecord, 'connections'> {
  const { connections = [] } = edited(entry)?.examined ?? {};
  return connections.length === 0 ? {} : { connections };
}

function updatedAt({ file, draft }: Entry): string {
  return new Date(Math.max(file?.modifiedAt ?? 0, draft?.modifiedAt ?? 0)).toISOString();
}

const NOTHING: Partial<Stored> = {};
const NAMELESS: Partial<Flow> = {};

/** Files with the id of an earlier file: listed with their problem, and otherwise without effect. */
export function shadowedRecords(entry: Entry): FlowRecord[] {
  return entry.files.slice(1).map((file, i) => ({
    ...recordOf({ ...newEntry(entry.id), files: [file] }, true),
    state: 'broken',
    problems: doubles(entry, i + 1),
  }));
}

/** A warning for the first file, since it serves; an error for the others. */
function doubles(entry: Entry, at: number): Problem[] {
  if (entry.files.length < 2) return [];
  const [first, ...others] = entry.files.map((file) => file.shown);
  const all = `The files ${[first, ...others].join(' and ')} have the same id`;
  return [
    {
      code: 'duplicate-flow-id',
      severity: at === 0 ? 'warning' : 'error',
      message: `${all}; only ${first} serves. Rename the ${others.length > 1 ? 'others' : 'other'}.`,
    },
  ];
}

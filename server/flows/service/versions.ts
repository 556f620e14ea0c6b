import { appendFile, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Actor } from '#shared/audit.ts';
import { DEFAULT_PROJECT } from '../../storage/database/sql.ts';
import type { FlowVersion } from './flow-types.ts';
import { type StagedFile, stageFile, sweepLeftovers } from '../../base/files/atomic-file.ts';
import { contentHash } from '../../base/files/content-hash.ts';

/**
 * Every version that went live, in `<data>/versions/<id>/`:
 * - `<version>.json`: its canonical text. A version is the hash of its text, so a damaged file is detected.
 * - `index.jsonl`: one line each time it went live, with time, project, actor and label; a line without a time changes
 *   its label. Lines of 0.2.0 and before name only the author.
 * - `live`: the serving version; read at the start if the flow's own file is broken.
 */
export interface VersionStore {
  /**
   * Stores a version and marks it as the serving one. Never throws: a data folder that is not writable costs history,
   * not service; the result is then false.
   */
  keep(id: string, version: KeptVersion, options?: KeepOptions): Promise<boolean>;
  /** Starts to write a version that will probably go live, so that `keep` has less to do. Pass it on, or discard it. */
  stage(id: string, version: VersionText, durable?: boolean): StagedVersion;
  list(id: string): Promise<FlowVersion[]>;
  /** Labels a version; an empty label removes the label. Throws if the data folder is not writable. */
  label(id: string, version: string, wish: { label: string; actor: Actor }): Promise<void>;
  /** Undefined if the version was never stored, or its file is damaged. */
  text(id: string, version: string): Promise<string | undefined>;
  /** The version that served last. */
  lastLive(id: string): Promise<string | undefined>;
  /** Records that no version of this flow serves any more. */
  retire(id: string): Promise<void>;
}

export interface KeptVersion {
  readonly version: string;
  readonly text: string;
  readonly actor: Actor;
  readonly label: string | undefined;
  /** ISO 8601. */
  readonly at: string;
}

type VersionText = Pick<KeptVersion, 'version' | 'text'>;

interface KeepOptions {
  /** Whether the text waits for the disk; true by default. */
  readonly durable?: boolean;
  /** Whether it comes from another place with its history, which is kept regardless of who put it live. */
  readonly moved?: boolean;
  /** The same version, if it was staged. */
  readonly staged?: StagedVersion | undefined;
}

/** The text of a version and the mark that it serves, beside their files. */
export type StagedVersion = Promise<{ readonly text: StagedFile | undefined; readonly mark: StagedFile }>;

/** Never throws. */
export async function discardVersion(staged: StagedVersion): Promise<void> {
  const files = await staged.catch(() => undefined);
  await Promise.all([files?.text?.discard(), files?.mark.discard()]);
}

interface IndexLine extends Omit<KeptVersion, 'text' | 'actor'> {
  /** Undefined in lines of 0.2.0 and before, like the actor. */
  readonly project?: string;
  readonly actor?: Actor;
  /** The actor's name. */
  readonly author: string;
}
/** With the place of the first line about its version. */
type ListedLine = IndexLine & { readonly first: number };
type LabelLine = Pick<IndexLine, 'version' | 'label' | 'project' | 'actor'> & { readonly at?: undefined };

const VERSION_PATTERN = /^[0-9a-f]{16}$/;

export function createVersionStore(
  folder: string,
  warn: (error: unknown, message: string) => void,
  project: string = DEFAULT_PROJECT,
): VersionStore {
  const folderOf = (id: string) => join(folder, id);

  const text = (id: string, version: string) => keptText(folderOf(id), version);

  async function lastLive(id: string): Promise<string | undefined> {
    return (await readText(join(folderOf(id), 'live')))?.trim();
  }

  function stage(id: string, kept: VersionText, durable = true): StagedVersion {
    const staged = stageVersion(folderOf(id), kept, durable);
    // `keep` reports it, if it is called.
    staged.catch(() => undefined);
    return staged;
  }

  async function store(id: string, { text: _, ...kept }: KeptVersion, staged: StagedVersion): Promise<void> {
    const line: IndexLine = { ...kept, project, author: kept.actor.name };
    try {
      const files = await staged;
      await files.text?.commit();
      await Promise.all([appendLine(join(folderOf(id), 'index.jsonl'), line), files.mark.commit()]);
    } finally {
      await discardVersion(staged);
    }
  }

  return {
    text,
    lastLive,
    stage,
    async keep(id, kept, { durable, staged } = {}) {
      try {
        if (staged === undefined) await store(id, kept, stage(id, kept, durable));
        // There may be room again.
        else await store(id, kept, staged).catch(() => store(id, kept, stage(id, kept, durable)));
        return true;
      } catch (error) {
        warn(
          error,
          `Version ${kept.version} of flow ${id} serves, but could not be stored in the data folder.`,
        );
        return false;
      }
    },
    async list(id) {
      const live = await lastLive(id);
      const lines = await listed(folderOf(id), (message) => warn(undefined, `${message} of flow ${id}.`));
      return numbered(lines).map((found) => ({ ...found, live: found.version === live }));
    },
    async label(id, version, { label, actor }) {
      const line: LabelLine = { version, label, project, actor };
      await appendLine(join(folderOf(id), 'index.jsonl'), line);
    },
    retire: (id) =>
      rm(join(folderOf(id), 'live'), { force: true }).catch((error: unknown) =>
        warn(error, `The mark of the live version of flow ${id} could not be removed from the data folder.`),
      ),
  };
}

/** With a number each, in the order in which they first went live. */
function numbered(lines: readonly ListedLine[]): Omit<FlowVersion, 'live'>[] {
  const order = [...lines].sort((a, b) => a.first - b.first).map(({ version }) => version);
  return lines.map(({ version, at, author, actor, label }) => {
    return { version, number: order.indexOf(version) + 1, at, author, actor, label };
  });
}

async function stageVersion(folder: string, { version, text }: VersionText, durable: boolean): StagedVersion {
  await mkdir(folder, { recursive: true });
  sweepLeftovers(folder);
  const isKept = (await keptText(folder, version)) !== undefined;
  return {
    text: isKept ? undefined : stageFile(versionFile(folder, version), text, { durable }),
    // Not awaited: a power cut may lose the mark of the last seconds, but the flow's own file is safe.
    mark: stageFile(join(folder, 'live'), `${version}\n`, { durable: false }),
  };
}

async function keptText(folder: string, version: string): Promise<string | undefined> {
  if (!VERSION_PATTERN.test(version)) return undefined;
  const found = await readText(versionFile(folder, version));
  return found !== undefined && contentHash(found) === version ? found : undefined;
}

function versionFile(folder: string, version: string): string {
  return join(folder, `${version}.json`);
}

/** The versions in the index, then stored versions that a damaged index lacks: only their time is known. */
async function listed(folder: string, warn: (message: string) => void): Promise<ListedLine[]> {
  const lines = parseIndex(await readText(join(folder, 'index.jsonl')));
  const known = new Set(lines.map(({ version }) => version));
  const names = await readdir(folder).catch(() => []);
  const lost = names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter((version) => VERSION_PATTERN.test(version) && !known.has(version));
  if (lost.length === 0) return lines;
  warn(`The index of versions is damaged: it lacks ${lost.length}`);
  const found = lost.map(async (version) => {
    const { mtime } = await stat(join(folder, `${version}.json`));
    return { version, at: mtime.toISOString(), author: 'unknown', label: undefined, first: -1 };
  });
  return [...lines, ...(await Promise.all(found)).sort((a, b) => (a.at < b.at ? 1 : -1))];
}

/** Appends on a new line, even after one that a full disk truncated, which would otherwise swallow this line. */
async function appendLine(file: string, line: IndexLine | LabelLine): Promise<void> {
  await appendFile(file, `\n${JSON.stringify(line)}\n`);
}

/** Newest first, each version once, with the last time it went live and its last label. Truncated lines are skipped. */
function parseIndex(text: string | undefined): ListedLine[] {
  const newest = new Map<string, IndexLine>();
  const first = new Map<string, number>();
  const labels = new Map<string, string>();
  const lines = (text ?? '').split('\n');
  for (const [i, line] of lines.reverse().entries()) {
    const entry = parseLine(line);
    if (!entry) continue;
    first.set(entry.version, lines.length - i);
    const { version, label } = entry;
    if (label !== undefined && !labels.has(version)) labels.set(version, label);
    if (entry.at !== undefined && !newest.has(version)) newest.set(version, entry);
  }
  return [...newest.values()].map((entry) => ({
    ...entry,
    label: labels.get(entry.version) || undefined,
    first: first.get(entry.version) ?? 0,
  }));
}

function parseLine(line: string): IndexLine | LabelLine | undefined {
  try {
    const entry = JSON.parse(line) as IndexLine | LabelLine;
    return VERSION_PATTERN.test(entry.version) ? entry : undefined;
  } catch {
    return undefined;
  }
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}

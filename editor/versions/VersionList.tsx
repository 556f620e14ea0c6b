import { EllipsisVertical, GitCompareArrows, RotateCcw, Tag } from 'lucide-react';
import type { FlowVersion } from '#shared/api.ts';
import type { Session } from '../commands/command.ts';
import { useRuns, useSession, useSync } from '../session/session.tsx';
import { versionOf } from '../state/drawn.ts';
import { Badge } from '../ui/Badge.tsx';
import { cx } from '../ui/cx.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';
import type { MenuEntry } from '../ui/menu-entry.ts';
import { toast } from '../ui/toast.ts';
import { compareVersions, NOW, restoreVersion, showVersion } from './show-version.ts';
import { authorName, useChangeWords, versionName, versionNumber } from './use-versions.ts';
import { tapLine } from '../ui/styles.ts';
import { Moment } from '../ui/Moment.tsx';

interface VersionListProps {
  all: readonly FlowVersion[];
  onLabel(version: FlowVersion): void;
}

/** Each comparison loads a text, so only the newest ones say what they changed. */
const COMPARED = 20;

/** All versions, newest first; a click draws one on the canvas. */
export function VersionList({ all, onLabel }: VersionListProps) {
  return (
    <div className="min-h-0 min-w-0 flex-1 overflow-y-auto">
      <table className="w-full table-fixed text-xs">
        <caption className="sr-only">Versions of this flow, newest first</caption>
        <thead className="sticky top-0 z-1 bg-surface-2 text-left text-text-2 [&_th]:h-7 [&_th]:px-2 [&_th]:font-medium">
          <tr>
            <th scope="col">Version</th>
            <th scope="col" className="w-28">
              Went live
            </th>
            <th scope="col" className="w-32 @max-3xl:hidden">
              By
            </th>
            <th scope="col" className="w-52 @max-3xl:hidden">
              Changed
            </th>
            <th scope="col" className="w-10">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {all.map((version, i) => (
            <VersionRow
              key={version.version}
              version={version}
              before={i < COMPARED ? all[i + 1]?.version : undefined}
              all={all}
              onLabel={() => onLabel(version)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface VersionRowProps {
  version: FlowVersion;
  /** The version that it is compared with. */
  before: string | undefined;
  all: readonly FlowVersion[];
  onLabel(): void;
}

function VersionRow({ version, before, all, onLabel }: VersionRowProps) {
  const session = useSession();
  const isShown = useRuns((runs) => versionOf(runs)?.to === version.version);
  const entries = useEntries({ version, all, onLabel });
  const flow = useSync((sync) => sync.record.id);
  const { version: hash, at, author, label, live } = version;
  const changed = useChangeWords(flow, hash, before);
  return (
    <tr
      className={cx(
        'shadow-[inset_0_-1px_var(--line)] hover:bg-surface-3 [&>td]:h-7 [&>td]:px-2',
        isShown && 'bg-accent-soft hover:bg-accent-soft',
      )}
    >
      <td>
        <span className="flex min-w-0 items-center gap-2">
          <button
            type="button"
            aria-current={isShown || undefined}
            title={`Show this version on the canvas (${hash.slice(0, 8)})`}
            onClick={() => void attempt(session, () => showVersion(session, hash))}
            className={cx('min-w-0 cursor-default truncate rounded-sm font-medium hover:underline', tapLine)}
          >
            {versionName(hash, all)}
          </button>
          {label !== undefined && <span className="shrink-0 text-text-2">{versionNumber(hash, all)}</span>}
          {live && <Badge tone="ok">live</Badge>}
        </span>
      </td>
      <td className="text-text-2">
        <Moment at={at} />
      </td>
      <td className="truncate text-text-2 @max-3xl:hidden" title={author}>
        {authorName(version)}
      </td>
      <td className="truncate text-text-2 @max-3xl:hidden" title={changed}>
        {changed}
      </td>
      <td>
        <Menu
          trigger={
            <IconButton
              size="sm"
              icon={EllipsisVertical}
              label={`Actions for version ${versionName(hash, all)}`}
            />
          }
          entries={entries}
        />
      </td>
    </tr>
  );
}

function useEntries({
  version: { version, live },
  all,
  onLabel,
}: Omit<VersionRowProps, 'before'>): MenuEntry[] {
  const session = useSession();
  const readOnly = useSync((sync) => (sync.record.readOnly ? 'This server cannot change flows.' : undefined));
  const name = versionName(version, all);
  const before = all[all.findIndex((one) => one.version === version) + 1];
  const compare = (from: string, to: string) => () =>
    void attempt(session, () => compareVersions(session, from, to));
  const restore = async (): Promise<void> => {
    const takeBack = await restoreVersion(session, version, name);
    if (!takeBack) return;
    const action = { label: 'Undo', run: () => void attempt(session, takeBack) };
    toast(`Version ${name} is restored and live.`, { kind: 'success', action });
  };
  return [
    {
      id: 'now',
      label: 'Compare with the flow as it is',
      icon: GitCompareArrows,
      onSelect: compare(version, NOW),
    },
    {
      id: 'before',
      label: 'What this version changed',
      icon: GitCompareArrows,
      disabled: before ? undefined : 'It is the oldest stored version.',
      onSelect: compare(before?.version ?? version, version),
    },
    { id: 'label', label: 'Label…', icon: Tag, disabled: readOnly, onSelect: onLabel },
    { id: 'separator', separator: true },
    {
      id: 'restore',
      label: 'Restore',
      icon: RotateCcw,
      disabled: readOnly ?? (live ? 'It is live already.' : undefined),
      onSelect: () => void attempt(session, restore),
    },
  ];
}

async function attempt(session: Session, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    session.actions.toast(error instanceof Error ? error.message : String(error), 'error');
  }
}

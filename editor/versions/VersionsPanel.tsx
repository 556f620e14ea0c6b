import { GitCompareArrows, History } from 'lucide-react';
import { useState } from 'react';
import type { FlowVersion } from '#shared/api.ts';
import { Loaded } from '../session/Loaded.tsx';
import { useEditor, useRuns, useSession, useSync } from '../session/session.tsx';
import { versionOf } from '../state/drawn.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ChangeLines } from './ChangeLines.tsx';
import { Comparison } from './Comparison.tsx';
import { compareVersions, NOW } from './show-version.ts';
import { useVersions } from './use-versions.ts';
import { VersionList } from './VersionList.tsx';
import { labelVersion } from '../api/versions.ts';
import { useChange } from '../session/use-change.ts';
import { TextDialog } from '../ui/TextDialog.tsx';

/** The earlier live versions: to view, label, compare and restore. */
export function VersionsPanel() {
  const versions = useVersions();
  return (
    <div className="flex min-h-0 flex-1">
      <Loaded query={versions} what="the versions">
        {(all) => (all.length === 0 ? <NoVersions /> : <Versions all={all} />)}
      </Loaded>
    </div>
  );
}

function Versions({ all }: { all: readonly FlowVersion[] }) {
  const shown = useRuns(versionOf);
  const [named, setNamed] = useState<FlowVersion>();
  return (
    <div className="@container flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-2 py-1">
        <Comparison all={all} />
        <NotLiveYet />
      </div>
      <div className="flex min-h-0 flex-1 @max-2xl:flex-col">
        <VersionList all={all} onLabel={setNamed} />
        {shown?.from !== undefined && <ChangeLines changes={shown.changes} />}
      </div>
      {named && <LabelDialog version={named} onClose={() => setNamed(undefined)} />}
    </div>
  );
}

/** The changes of the draft that are not live yet. */
function NotLiveYet() {
  const session = useSession();
  const live = useSync((sync) => sync.record.version);
  const isDraft = useSync((sync) => sync.record.hasDraft);
  const isUnsaved = useEditor((editor) => editor.saveState !== 'saved');
  if (live === undefined || !(isDraft || isUnsaved)) return null;
  const compare = (): void =>
    void compareVersions(session, live, NOW).catch((error: Error) =>
      session.actions.toast(error.message, 'error'),
    );
  return (
    <Button size="sm" icon={GitCompareArrows} onClick={compare}>
      What is not live yet
    </Button>
  );
}

function NoVersions() {
  return (
    <EmptyState icon={History} title="No version yet">
      Each state of the flow that goes live is stored as a version: you can view it, compare it with others
      and restore it.
    </EmptyState>
  );
}

interface LabelDialogProps {
  version: FlowVersion;
  onClose(): void;
}

/** Names a version. */
function LabelDialog({ version: { version, number, label = '' }, onClose }: LabelDialogProps) {
  const flow = useSync((sync) => sync.record.id);
  const { busy, error, change } = useChange(['versions'], onClose);
  return (
    <TextDialog
      title={`Label of version ${number === undefined ? version.slice(0, 8) : `v${number}`}`}
      label="Label"
      help="For people, such as “before the sale”. Empty removes it."
      value={label}
      action="Set the label"
      mayBeEmpty
      busy={busy}
      error={error}
      onSubmit={(text) => void change(() => labelVersion(flow, version, text))}
      onClose={onClose}
    />
  );
}

import { nodeCount } from '../model/document/flat.ts';
import { groupChanges } from '../model/document/group-changes.ts';
import { useEditor, useSync } from '../session/session.tsx';
import { FlowStateBadge } from '../ui/FlowStateBadge.tsx';
import { useNotLive } from './use-not-live.ts';
import { numberOf, useVersions } from './use-versions.ts';

/** Where the flow stands: `Not published`, `Live v7`, or `Live v7, 2 changes`. */
export function LiveChip() {
  const record = useSync((sync) => sync.record);
  const { data: all = [] } = useVersions();
  const { data: changes } = useNotLive();
  const isEmpty = useEditor(({ doc }) => nodeCount(doc.flow) === 0);
  const { version } = record;
  return (
    <FlowStateBadge
      flow={record}
      isEmpty={isEmpty}
      live={version === undefined ? undefined : numberOf(version, all)}
      changes={changes && groupChanges(changes).length}
      onlyIconOnPhone
    />
  );
}

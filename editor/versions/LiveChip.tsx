import { CircleCheck, CircleDashed, CircleDot } from 'lucide-react';
import { nodeCount } from '../model/document/flat.ts';
import { groupChanges } from '../model/document/group-changes.ts';
import { useEditor, useSync } from '../session/session.tsx';
import { Badge } from '../ui/Badge.tsx';
import { FlowStateBadge } from '../ui/FlowStateBadge.tsx';
import { countText } from '../ui/format.ts';
import { useNotLive } from './use-not-live.ts';
import { numberOf, useVersions } from './use-versions.ts';

/** Where the flow stands: `Not published`, `Live v7`, or `Live v7, 2 changes`. */
export function LiveChip() {
  const record = useSync((sync) => sync.record);
  const { data: all = [] } = useVersions();
  const { data: changes } = useNotLive();
  const isEmpty = useEditor(({ doc }) => nodeCount(doc.flow) === 0);
  const { state, version, hasDraft } = record;
  if (state === 'broken') return <FlowStateBadge flow={record} onlyIconOnPhone />;
  if (isEmpty && (version === undefined || !hasDraft))
    return (
      <Chip icon={CircleDashed} tone="neutral" title="Nothing is drawn yet.">
        Empty
      </Chip>
    );
  if (version === undefined)
    return (
      <Chip icon={CircleDashed} tone="neutral" title="Only this draft exists; nothing outside can call it.">
        Not published
      </Chip>
    );
  const count = changes && groupChanges(changes).length;
  const n = numberOf(version, all);
  const live = n === undefined ? 'Live' : `Live v${n}`;
  return !hasDraft || count === 0 ? (
    <Chip icon={CircleCheck} tone="ok" title="The draft and what is live are the same.">
      {live}
    </Chip>
  ) : (
    <Chip icon={CircleDot} tone="busy" title="The draft has changes that are not live. Publish shows them.">
      {live}, {count === undefined ? 'changes' : countText(count, 'change')}
    </Chip>
  );
}

function Chip({ children, ...look }: Parameters<typeof Badge>[0]) {
  return (
    <Badge {...look}>
      <span className="max-sm:sr-only">{children}</span>
    </Badge>
  );
}

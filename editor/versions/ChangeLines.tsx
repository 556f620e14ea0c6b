import { Equal, Minus, Pencil, Plus } from 'lucide-react';
import type { FlowChange } from '#shared/api.ts';
import { revealNodes } from '../commands/view.ts';
import { nodeOf } from '../model/document/edit.ts';
import { useSession } from '../session/session.tsx';
import { useNodeTitle } from '../session/use-node-title.ts';
import { Badge } from '../ui/Badge.tsx';
import { ValueChange } from '../ui/ValueChange.tsx';
import { type ChangeGroup, groupChanges } from '../model/document/group-changes.ts';
import { cx } from '../ui/cx.ts';
import { tapLine } from '../ui/styles.ts';

const LOOKS = {
  added: { icon: Plus, tone: 'ok' },
  removed: { icon: Minus, tone: 'bad' },
  changed: { icon: Pencil, tone: 'warn' },
} as const;

/** The changes, node by node and field by field; a click shows the place. */
export function ChangeLines({
  changes,
  label = 'Changes',
}: {
  changes: readonly FlowChange[];
  label?: string;
}) {
  const groups = groupChanges(changes);
  return (
    <section
      aria-label={label}
      className="min-h-0 min-w-0 flex-1 overflow-y-auto border-line @max-2xl:border-t @2xl:border-l"
    >
      {groups.length === 0 && (
        <p className="flex items-center gap-2 p-3 text-text-2">
          <Equal aria-hidden className="size-4" /> Both are the same.
        </p>
      )}
      <ul className="divide-y divide-line">
        {groups.map((group) => (
          <Group key={group.key} group={group} />
        ))}
      </ul>
    </section>
  );
}

function Group({ group }: { group: ChangeGroup }) {
  const session = useSession();
  const title = useNodeTitle();
  const { kind, node, edge, renamedFrom, fields } = group;
  const { icon, tone } = LOOKS[kind];
  const places = edge ? [nodeOf(edge.from), nodeOf(edge.to)] : node === undefined ? [] : [node];
  const words = (
    <>
      {renamedFrom !== undefined && `${renamedFrom} → `}
      {edge ? `${edge.from} → ${edge.to}` : node === undefined ? 'The flow' : title(node)}
    </>
  );
  return (
    <li className="flex flex-col gap-1 px-3 py-1.5 text-xs">
      <div className="flex min-w-0 items-center gap-2">
        <Badge tone={tone} icon={icon}>
          {kind}
        </Badge>
        {places.length === 0 ? (
          <span className="font-medium">{words}</span>
        ) : (
          <button
            type="button"
            className={cx('min-w-0 cursor-default truncate text-left font-medium hover:underline', tapLine)}
            onClick={() => {
              session.editor.getState().select(places);
              revealNodes(session, places);
            }}
          >
            {words}
          </button>
        )}
        {node !== undefined && <code className="truncate text-text-2">{node}</code>}
        {edge && <span className="sr-only">connection</span>}
      </div>
      {fields.map(({ path, before, after }) => (
        <ValueChange key={path} place={path} before={before} after={after} />
      ))}
    </li>
  );
}

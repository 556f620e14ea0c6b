import { lazy, Suspense } from 'react';
import { summaryOf } from '#shared/summary.ts';
import type { OperatorInfo } from '#shared/catalog.ts';
import type { FlowNode } from '#shared/flow.ts';
import { openPickerCommand } from '../commands/palette.ts';
import { revealNodes } from '../commands/view.ts';
import { infoOf } from '../model/document/edit.ts';
import { titleOf } from '../model/document/geometry.ts';
import { useEditor, useIsPast, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { OperatorIcon } from '../ui/OperatorIcon.tsx';
import { Section } from './Section.tsx';

const NextTimes = lazy(() => import('../form/fields/NextTimes.tsx'));

/** The triggers of the flow, each with what it says on the canvas; a schedule with its next times. */
export function FlowStart() {
  const session = useSession();
  const nodes = useEditor((state) => state.doc.flow.nodes);
  const catalog = useEditor((state) => state.catalog);
  const isPast = useIsPast();
  const triggers = Object.entries(nodes).flatMap(([id, node]) => {
    const info = infoOf(catalog, node);
    return info?.trigger ? [{ id, node, info, title: titleOf(node, catalog) }] : [];
  });
  return (
    <Section title="How it starts">
      {triggers.length === 0 && (
        <div className="flex flex-wrap items-center gap-2 text-text-2">
          <span className="flex-1">Nothing starts this flow yet.</span>
          {!isPast && (
            <Button size="sm" onClick={() => void openPickerCommand.run(session)}>
              Add a trigger
            </Button>
          )}
        </div>
      )}
      {triggers.map((trigger) => (
        <Start key={trigger.id} {...trigger} />
      ))}
    </Section>
  );
}

interface StartProps {
  id: string;
  node: FlowNode;
  info: OperatorInfo;
  title: string;
}

function Start({ id, node, info, title }: StartProps) {
  const session = useSession();
  const { cron, timezone } = node.params ?? {};
  const said = node.disabled ? 'Disabled' : summaryOf(node, info);
  return (
    <div className="flex flex-col gap-1">
      <button
        type="button"
        onClick={() => {
          session.editor.getState().select([id]);
          revealNodes(session, [id]);
        }}
        className="-mx-1.5 flex items-center gap-2 rounded-md px-1.5 py-1 text-left hover:bg-surface-3"
      >
        <OperatorIcon info={info} />
        <span className="min-w-0 flex-1">
          <bdi className="block truncate font-medium" title={title}>
            {title}
          </bdi>
          <bdi className="block truncate text-xs text-text-2" title={said}>
            {said}
          </bdi>
        </span>
      </button>
      {typeof cron === 'string' && !node.disabled && (
        <Suspense fallback={null}>
          <NextTimes cron={cron} timezone={typeof timezone === 'string' ? timezone : 'UTC'} isToldOf />
        </Suspense>
      )}
    </div>
  );
}

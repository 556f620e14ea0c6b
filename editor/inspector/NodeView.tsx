import './node-view.css';
import { ArrowLeft } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { runNodeCommand } from '../commands/part-run.ts';
import { FormProvider } from '../form/form-context.tsx';
import { infoOf } from '../model/document/edit.ts';
import { nodeIn } from '../model/document/flat.ts';
import { CommandButton } from '../session/CommandButton.tsx';
import { useEditor, useSession } from '../session/session.tsx';
import { ListenButton } from '../triggers/ListenButton.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { sectionTitle } from '../ui/styles.ts';
import { NodeRounds } from './NodeRounds.tsx';
import { CodeRuns } from './CodeRuns.tsx';
import { NewThings } from './NewThings.tsx';
import { useNodeForm } from './node-form.ts';
import { NodeHeader, SettingsPane } from './NodeInspector.tsx';
import { Locked } from './Locked.tsx';
import { InputTab, OutputTab } from './parts.ts';

/** One node over the whole canvas: what comes in, its settings, what comes out, side by side. Escape goes back to the node. */
export function NodeView({ id }: { id: string }) {
  const session = useSession();
  const form = useNodeForm(session, id);
  const area = useRef<HTMLElement>(null);
  const close = (): void => {
    session.ui.setState({ nodeView: undefined });
    // The canvas can have the focus when it is no longer covered.
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)?.focus(),
    );
  };
  useEffect(() => {
    if (!area.current?.contains(document.activeElement)) area.current?.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    // Menus and lists are elsewhere in the page, and close first.
    const isOurs =
      event.key === 'Escape' && event.target instanceof Node && area.current?.contains(event.target);
    if (!isOurs || event.defaultPrevented) return;
    event.preventDefault();
    close();
  };
  return (
    <FormProvider form={form}>
      <NewThings id={id}>
        <CodeRuns id={id}>
          <aside
            ref={area}
            aria-label="Inspector"
            data-node-view
            tabIndex={-1}
            onKeyDown={onKeyDown}
            className="weft-node-view absolute inset-0 z-20 flex flex-col bg-surface outline-hidden"
          >
            <Locked>
              <NodeHeader
                id={id}
                aside={
                  <>
                    <NodeRounds id={id} />
                    <Runs id={id} />
                    <IconButton
                      icon={ArrowLeft}
                      label="Back to the canvas"
                      keys={['Escape']}
                      onClick={close}
                    />
                  </>
                }
              />
            </Locked>
            <Columns id={id} />
          </aside>
        </CodeRuns>
      </NewThings>
    </FormProvider>
  );
}

function Columns({ id }: { id: string }) {
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[28fr_44fr_28fr] divide-x divide-line">
      <Column title="Input">
        <InputTab id={id} />
      </Column>
      <Column title="Settings" isScrolled={false}>
        <SettingsPane id={id} />
      </Column>
      <Column title="Output">
        <OutputTab id={id} />
      </Column>
    </div>
  );
}

interface ColumnProps {
  title: string;
  isScrolled?: boolean;
  children: ReactNode;
}

function Column({ title, isScrolled = true, children }: ColumnProps) {
  return (
    <section aria-label={title} className="flex min-h-0 min-w-0 flex-col">
      <h3 className={`${sectionTitle} shrink-0 border-b border-line bg-surface-2 px-3 py-1.5`}>{title}</h3>
      <div className={`flex min-h-0 flex-1 flex-col ${isScrolled ? 'overflow-y-auto' : ''}`}>
        <Suspense fallback={null}>{children}</Suspense>
      </div>
    </section>
  );
}

/** The buttons that run the node, or wait for the call that starts it. */
function Runs({ id }: { id: string }) {
  const isTrigger = useEditor(({ doc, catalog }) => infoOf(catalog, nodeIn(doc.flow, id))?.trigger === true);
  if (isTrigger) return <ListenButton />;
  return <CommandButton command={runNodeCommand} variant="secondary" label="Run to here" />;
}

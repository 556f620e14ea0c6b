import { type FocusEvent, type ReactNode, Suspense, useRef, useState } from 'react';
import { Power } from 'lucide-react';
import type { Problem } from '#shared/problem.ts';
import { FormProvider, useForm } from '../form/form-context.tsx';
import { useEditor, useRuns, useSession, useUi } from '../session/session.tsx';
import type { InspectorTab } from '../state/ui-store.ts';
import { Badge, Count } from '../ui/Badge.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { type Tab, Tabs } from '../ui/Tabs.tsx';
import { cx } from '../ui/cx.ts';
import { Locked, useLockedArea } from './Locked.tsx';
import { CodeRuns } from './CodeRuns.tsx';
import { NewThings } from './NewThings.tsx';
import { useNodeForm } from './node-form.ts';
import { NodeSettings } from './NodeSettings.tsx';
import { DocsTab, InputTab, OutputTab } from './parts.ts';
import { RunDot } from './RunStatus.tsx';
import { useFocusField } from './use-focus-field.ts';
import { infoOf } from '../model/document/edit.ts';
import { operatorIcon } from '../ui/operator-icon.ts';
import { Input } from '../ui/Input.tsx';
import { PanelHeader } from './PanelHeader.tsx';
import { nodeIn } from '../model/document/flat.ts';

/** One node: its settings, its values in the last run, and the docs of its operator. */
export function NodeInspector({ id }: { id: string }) {
  const session = useSession();
  const tab = useUi((state) => state.inspectorTab);
  const tabs = useTabs(id);
  const form = useNodeForm(session, id);
  return (
    <FormProvider form={form}>
      <NewThings id={id}>
        <CodeRuns id={id}>
          <div className="flex min-h-0 flex-1 flex-col">
            <Locked>
              <NodeHeader id={id} />
            </Locked>
            <Tabs
              label="Inspector"
              value={tab}
              onValueChange={(inspectorTab) => session.ui.setState({ inspectorTab })}
              tabs={tabs}
            >
              {/* Stays mounted while another tab is open, so that a path can be inserted at the last cursor position. */}
              <SettingsPane id={id} isHidden={tab !== 'settings'} />
              {tab !== 'settings' && (
                <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
                  <Suspense fallback={null}>
                    {tab === 'input' && <InputTab id={id} />}
                    {tab === 'output' && <OutputTab id={id} />}
                    {tab === 'docs' && <DocsTab id={id} />}
                  </Suspense>
                </div>
              )}
            </Tabs>
          </div>
        </CodeRuns>
      </NewThings>
    </FormProvider>
  );
}

/** The settings of a node, which scroll, above the help of the field that has the focus. */
export function SettingsPane({ id, isHidden = false }: { id: string; isHidden?: boolean }) {
  const { view } = useForm();
  const panel = useRef<HTMLDivElement>(null);
  useFocusField(panel, view);
  const { help, ...helpBy } = useHelpLine();
  const lockedArea = useLockedArea();
  return (
    <div ref={panel} className={cx('flex min-h-0 flex-1 flex-col', isHidden && 'hidden')}>
      <div {...lockedArea} {...helpBy} className="min-h-0 flex-1 overflow-y-auto">
        <Locked>
          <NodeSettings id={id} />
        </Locked>
      </div>
      <HelpLine help={help} />
    </div>
  );
}

function useTabs(id: string): readonly Tab<InspectorTab>[] {
  const errors = useEditor((state) => countOf(state.problems, id, 'error'));
  const warnings = useEditor((state) => countOf(state.problems, id, 'warning'));
  const status = useRuns((state) => state.shown?.nodes[id]?.status);
  return [
    {
      value: 'settings',
      label: 'Settings',
      badge: (
        <>
          <Count n={errors} tone="bad" />
          <Count n={warnings} tone="warn" />
        </>
      ),
    },
    { value: 'input', label: 'Input' },
    { value: 'output', label: 'Output', badge: status && <RunDot status={status} /> },
    { value: 'docs', label: 'Docs' },
  ];
}

function countOf(problems: readonly Problem[], id: string, severity: 'error' | 'warning'): number {
  return problems.reduce(
    (n, problem) => n + (problem.node === id && problem.severity === severity ? 1 : 0),
    0,
  );
}

/** The node's name, edited in place, and its operator. */
export function NodeHeader({ id, aside }: { id: string; aside?: ReactNode }) {
  const form = useForm();
  const node = useEditor((state) => nodeIn(state.doc.flow, id));
  const info = useEditor((state) => infoOf(state.catalog, nodeIn(state.doc.flow, id)));
  if (!node) return null;
  return (
    <PanelHeader
      icon={operatorIcon(info)}
      title={
        <div data-field="name">
          <Input
            aria-label="Name of the node"
            value={node.name ?? ''}
            maxLength={200}
            placeholder={info?.title ?? node.operator}
            onValueChange={(name) => form.set(['name'], name === '' ? undefined : name, 'Change name')}
            className="!h-6 border-transparent bg-transparent text-ellipsis !px-1 font-semibold placeholder:!text-text hover:border-line-strong"
          />
        </div>
      }
      hint={
        <code className="font-mono">
          {node.operator} · {id}
        </code>
      }
      aside={
        <>
          {node.disabled && <Badge icon={Power}>disabled</Badge>}
          {aside}
        </>
      }
    />
  );
}

interface Help {
  readonly of: string;
  readonly text: string;
}

/** The help of the field that has the focus, for a line below the form: beside the field it would move all others. */
function useHelpLine() {
  const [help, setHelp] = useState<Help>();
  return {
    help,
    onFocus: ({ target }: FocusEvent): void => {
      const { help: text, helpOf = '' } = target.closest<HTMLElement>('[data-help]')?.dataset ?? {};
      setHelp(text === undefined ? undefined : { of: helpOf, text });
    },
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent): void => {
      if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setHelp(undefined);
    },
  };
}

function HelpLine({ help }: { help: Help | undefined }) {
  if (!help) return null;
  return (
    // Fields name their help themselves for those who do not see.
    <div
      aria-hidden
      className="max-h-24 shrink-0 overflow-y-auto border-t border-line bg-surface-2 px-3 py-2 text-xs text-text-2"
    >
      <span className="font-medium text-text">{help.of}</span> · <ProseText text={help.text} />
    </div>
  );
}

import { Workflow } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { FieldList } from '../form/FieldList.tsx';
import { FieldView } from '../form/FieldView.tsx';
import { FormProvider } from '../form/form-context.tsx';
import { useEditor, useSession, useUi } from '../session/session.tsx';
import { countText } from '../ui/format.ts';
import { sectionTitle } from '../ui/styles.ts';
import { FlowStart } from './FlowStart.tsx';
import { LastRuns } from './LastRuns.tsx';
import { Locked, useLockedArea } from './Locked.tsx';
import { flowFields, settingsFields } from './node-fields.ts';
import { flowForm } from './node-form.ts';
import { PanelHeader, PanelTitle } from './PanelHeader.tsx';
import { Section } from './Section.tsx';
import { useFocusField } from './use-focus-field.ts';
import { flatFlow, isStart } from '../model/document/flat.ts';

const ROOT = [] as const;
const SETTINGS = ['settings'] as const;

/** The flow itself, if nothing is selected. */
export function FlowSettings() {
  const session = useSession();
  const form = useMemo(() => flowForm(session), [session]);
  const id = useEditor((state) => state.doc.flow.id);
  const size = useEditor(({ doc: { flow } }) => {
    const all = flatFlow(flow);
    const nodes = Object.values(all.nodes).filter((node) => !isStart(node)).length;
    return `${countText(nodes, 'node')}, ${countText(all.edges.length, 'edge')}`;
  });
  const panel = useRef<HTMLDivElement>(null);
  useFocusField(panel);
  const lockedArea = useLockedArea();
  return (
    <FormProvider form={form}>
      <div ref={panel} className="flex min-h-0 flex-1 flex-col">
        <PanelHeader
          icon={Workflow}
          title={<PanelTitle>Flow</PanelTitle>}
          hint={
            <>
              <code className="font-mono">{id}</code> · {size}
            </>
          }
        />
        <div {...lockedArea} className="min-h-0 flex-1 overflow-y-auto">
          <Locked>
            <Section title="About">
              <FieldList fields={flowFields} path={ROOT} view={FieldView} />
            </Section>
          </Locked>
          <FlowStart />
          <LastRuns />
          <Limits />
          <p className="border-t border-line px-3 py-3 text-xs text-text-2">
            Select a node to see its settings and its values in the last run.
          </p>
        </div>
      </div>
    </FormProvider>
  );
}

/** Settings that seldom change stand behind their heading, unless a problem leads there. */
function Limits() {
  const isWanted = useUi((state) => state.focusField?.startsWith('settings') ?? false);
  const [isOpen, setOpen] = useState(isWanted);
  useEffect(() => {
    if (isWanted) setOpen(true);
  }, [isWanted]);
  return (
    <details
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="border-b border-line"
    >
      <summary className={`${sectionTitle} cursor-default px-3 py-3`}>Limits, records and access</summary>
      {isOpen && (
        <div className="flex flex-col gap-3 px-3 pb-3">
          <Locked>
            <FieldList fields={settingsFields} path={SETTINGS} view={FieldView} />
          </Locked>
        </div>
      )}
    </details>
  );
}

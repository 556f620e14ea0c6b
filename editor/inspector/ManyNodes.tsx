import { useMemo } from 'react';
import { arrangeCommands } from '../commands/arrange.ts';
import { FieldView } from '../form/FieldView.tsx';
import { FormProvider } from '../form/form-context.tsx';
import { infoOf } from '../model/document/edit.ts';
import { nodeIn } from '../model/document/flat.ts';
import { colorNodes, nodeColorOf } from '../model/document/node-color.ts';
import { type FormField, schemaFields } from '../model/form/schema-form.ts';
import { CommandButton } from '../session/CommandButton.tsx';
import { useEditor, useSession } from '../session/session.tsx';
import { ColorChoice } from '../ui/ColorChoice.tsx';
import { OnErrorField, RetryFields } from './ErrorHandling.tsx';
import { Locked } from './Locked.tsx';
import { isMixed, manyForm } from './many-form.ts';
import { nodeField } from './node-fields.ts';
import { Section } from './Section.tsx';

/** The settings that several nodes have in common, to be changed for all of them at once. */
export function ManyNodes() {
  const session = useSession();
  const selected = useEditor((state) => state.selectedNodes);
  const ids = useMemo(() => [...selected], [selected]);
  const form = useMemo(() => manyForm(session, ids), [session, ids]);
  return (
    <>
      <Section title="Arrange">
        <div className="flex flex-wrap gap-0.5">
          {arrangeCommands.map((command) => (
            <CommandButton key={command.id} command={command} size="sm" />
          ))}
        </div>
      </Section>
      <Locked>
        <Section title="Set for all">
          <Colors ids={ids} />
          <FormProvider form={form}>
            <FieldView field={nodeField('disabled')} path={['disabled']} />
            <OnErrorField />
            <RetryFields />
            <FieldView field={nodeField('timeoutMs')} path={['timeoutMs']} />
          </FormProvider>
          <Models ids={ids} />
          <Mixed ids={ids} />
        </Section>
      </Locked>
    </>
  );
}

function Colors({ ids }: { ids: readonly string[] }) {
  const { editor } = useSession();
  const common = useEditor(({ doc }) => {
    const [first, ...others] = ids.map((id) => nodeColorOf(doc, id));
    return others.every((color) => color === first) ? first : undefined;
  });
  return (
    <div className="flex items-center justify-between gap-2">
      <span className="text-xs font-medium">Colour</span>
      <ColorChoice
        value={common}
        onChange={(color) =>
          editor.getState().commit('Colour of the nodes', (draft) => colorNodes(draft, ids, color))
        }
      />
    </div>
  );
}

/** The model of those nodes that ask one. */
function Models({ ids }: { ids: readonly string[] }) {
  const session = useSession();
  const { doc, catalog } = session.editor.getState();
  const asking = ids.flatMap((id) => {
    const field = modelField(infoOf(catalog, nodeIn(doc.flow, id))?.params);
    return field ? [{ id, field }] : [];
  });
  const names = asking.map(({ id }) => id).join(' ');
  const form = useMemo(() => manyForm(session, names.split(' ')), [session, names]);
  const [first] = asking;
  if (!first) return null;
  return (
    <FormProvider form={form}>
      <FieldView field={first.field} path={['params', first.field.name]} />
    </FormProvider>
  );
}

function modelField(params: Readonly<Record<string, unknown>> | undefined): FormField | undefined {
  return params && schemaFields(params).find(({ name, shape }) => name === 'model' && shape.kind === 'name');
}

const WATCHED = [
  ['disabled', 'disabled'],
  ['onError', 'errors'],
  ['retry', 'retries'],
  ['timeoutMs', 'time limit'],
] as const;

/** An empty field may stand for different values. */
function Mixed({ ids }: { ids: readonly string[] }) {
  const session = useSession();
  const names = useEditor(() =>
    WATCHED.filter(([field]) => isMixed(session, ids, [field]))
      .map(([, words]) => words)
      .join(', '),
  );
  if (names === '') return null;
  return <p className="text-xs text-text-2">These differ now: {names}. A change sets all of them.</p>;
}

import { CircleAlert, X, ClipboardPaste } from 'lucide-react';
import { Suspense, lazy, useState } from 'react';
import { FieldList } from '../form/FieldList.tsx';
import { FieldMessages } from '../form/FieldMessages.tsx';
import { FieldView } from '../form/FieldView.tsx';
import { infoOf } from '../model/document/edit.ts';
import { type FormField, paramFields, unknownParams } from '../model/form/schema-form.ts';
import { FORM_TRIGGER } from '../model/form/triggers.ts';
import { useEditor } from '../session/session.tsx';
import { Behaviour } from './Behaviour.tsx';
import { BodySettings } from './BodySettings.tsx';
import { problemIndex } from './node-form.ts';
import { FormPreview, SourceFacts } from './parts.ts';
import { Section } from './Section.tsx';
import type { OperatorInfo } from '#shared/catalog.ts';
import { useForm } from '../form/form-context.tsx';
import { briefly } from '../model/expression/source-members.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Button } from '../ui/Button.tsx';
import { nodeIn } from '../model/document/flat.ts';

const PARAMS = ['params'] as const;
/** Settings that say which flow is run, in place of a body. */
const OF_FLOW: ReadonlySet<string> = new Set(['flow', 'trigger']);

export function NodeSettings({ id }: { id: string }) {
  const info = useEditor((state) => infoOf(state.catalog, nodeIn(state.doc.flow, id)));
  const operator = useEditor((state) => nodeIn(state.doc.flow, id)?.operator);
  const runsBody = useEditor((state) => nodeIn(state.doc.flow, id)?.body !== undefined);
  const fields = fieldsOf(info, runsBody);
  return (
    <>
      <NodeMessages id={id} />
      {operator === 'http.request' && <PasteCurl />}
      <BodySettings id={id} />
      <div data-field="params">
        {fields.length > 0 && (
          <Section title="Settings" hidden>
            <FieldList fields={fields} path={PARAMS} view={FieldView} />
          </Section>
        )}
        {info && fields.length === 0 && (
          <p className="border-b border-line px-3 py-3 text-text-2">{info.title} needs no settings.</p>
        )}
        {!info && (
          <p className="flex gap-2 border-b border-line px-3 py-3 text-text-2">
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
            <span>
              There is no operator <code className="font-mono">{operator}</code> on this server, so its
              settings cannot be shown. They stay unchanged.
            </span>
          </p>
        )}
        {info && <UnknownParams id={id} info={info} />}
      </div>
      {(operator === FORM_TRIGGER || operator === 'human.form') && (
        <Suspense fallback={null}>
          <FormPreview id={id} />
        </Suspense>
      )}
      {info?.source && (
        <Suspense fallback={null}>
          <Section title="Source">
            <SourceFacts id={id} />
          </Section>
        </Suspense>
      )}
      <Behaviour id={id} />
    </>
  );
}

function fieldsOf(info: OperatorInfo | undefined, runsBody: boolean): readonly FormField[] {
  const all = info ? paramFields(info) : [];
  return runsBody ? all.filter(({ name }) => !OF_FLOW.has(name)) : all;
}

/** Problems of the node as a whole: an input without an edge, an unknown operator. */
function NodeMessages({ id }: { id: string }) {
  const problems = useEditor((state) => problemIndex(state.problems, id));
  const whole = [
    ...problems.at('', false),
    ...problems.at('operator', false),
    ...problems.at('inputs', true),
  ];
  if (whole.length === 0) return null;
  const messages = whole.map((problem) => ({ severity: problem.severity, text: problem.message, problem }));
  return (
    <div data-field="inputs" className="border-b border-line px-3 py-2">
      <FieldMessages id={`${id}-problems`} messages={messages} />
    </div>
  );
}

/** Params in the file that the operator does not know: nothing is lost without being shown. */
function UnknownParams({ id, info }: { id: string; info: OperatorInfo }) {
  const form = useForm();
  const params = useEditor((state) => nodeIn(state.doc.flow, id)?.params);
  const names = unknownParams(info, params);
  if (names.length === 0) return null;
  return (
    <Section title="Without effect">
      {names.map((name) => (
        <div key={name} data-field={`params.${name}`} className="flex items-center gap-2">
          <code className="shrink-0 font-mono text-xs">{name}</code>
          <code className="min-w-0 flex-1 truncate font-mono text-xs text-text-2">
            {briefly(params?.[name], 80)}
          </code>
          <IconButton
            size="sm"
            icon={X}
            label={`Remove ${name}`}
            onClick={() => form.set(['params', name], undefined, `Remove ${name}`, { merge: false })}
          />
        </div>
      ))}
    </Section>
  );
}

const CurlDialog = lazy(() => import('./CurlDialog.tsx').then((file) => ({ default: file.CurlDialog })));

/** Fills in the settings of an HTTP request from a curl command, as API docs and browsers provide it. */
function PasteCurl() {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="border-b border-line px-3 py-2">
      <Button size="sm" icon={ClipboardPaste} onClick={() => setOpen(true)}>
        Paste curl…
      </Button>
      {isOpen && (
        <Suspense>
          <CurlDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

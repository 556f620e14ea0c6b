import { CircleAlert } from 'lucide-react';
import { FieldList } from '../form/FieldList.tsx';
import { FieldMessages } from '../form/FieldMessages.tsx';
import { FieldView } from '../form/FieldView.tsx';
import { infoOf } from '../model/document/edit.ts';
import { paramFields } from '../model/form/schema-form.ts';
import { useEditor } from '../session/session.tsx';
import { ErrorHandling } from './ErrorHandling.tsx';
import { GeneralSettings } from './GeneralSettings.tsx';
import { problemIndex } from './node-form.ts';
import { PasteCurl } from './PasteCurl.tsx';
import { Section } from './Section.tsx';
import { UnknownParams } from './UnknownParams.tsx';

const PARAMS = ['params'] as const;

export function NodeSettings({ id }: { id: string }) {
  const info = useEditor((state) => infoOf(state.catalog, state.doc.flow.nodes[id]));
  const operator = useEditor((state) => state.doc.flow.nodes[id]?.operator);
  const fields = info ? paramFields(info) : [];
  return (
    <>
      <NodeMessages id={id} />
      {operator === 'http.request' && <PasteCurl />}
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
      <ErrorHandling id={id} />
      <GeneralSettings id={id} />
    </>
  );
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

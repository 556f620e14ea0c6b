import { CircleHelp } from 'lucide-react';
import type { InputPort, OperatorInfo, OutputPort } from '#shared/catalog.ts';
import { portsOf } from '#engine/check';
import { shownDefault } from '../form/shown-value.ts';
import { infoOf } from '../model/document/edit.ts';
import { type FormField, paramFields } from '../model/form/schema-form.ts';
import { helpAddress, operatorHelp } from '../model/help-pages.ts';
import { useEditor } from '../session/session.tsx';
import { Badge } from '../ui/Badge.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { Examples } from './Examples.tsx';
import { Section } from './Section.tsx';
import { nodeIn } from '../model/document/flat.ts';

/** What the operator does, its params and ports, and examples to start from. */
export function DocsTab({ id }: { id: string }) {
  const node = useEditor((state) => nodeIn(state.doc.flow, id));
  const info = useEditor((state) => infoOf(state.catalog, nodeIn(state.doc.flow, id)));
  if (!node || !info) {
    return (
      <EmptyState icon={CircleHelp} title="Unknown operator">
        This server has no such operator, so there is nothing to say about it.
      </EmptyState>
    );
  }
  const { inputs, outputs } = portsOf(node, info);
  const fields = paramFields(info);
  const page = operatorHelp(info);
  return (
    <>
      <Section title={info.title}>
        <ProseText text={info.doc} />
        <div className="flex flex-wrap gap-1">
          <Badge>{info.type}</Badge>
          <Badge title={EFFECTS[info.effects]}>{info.effects}</Badge>
          {info.package !== undefined && (
            <Badge title="The npm package that it comes from">{info.package}</Badge>
          )}
          {info.lift && <Badge title="Runs once for each item of a stream">each item</Badge>}
        </div>
        {page !== undefined && (
          <a
            href={helpAddress(page)}
            target="_blank"
            rel="noopener"
            className="self-start text-xs text-accent underline"
          >
            All about it in the help
          </a>
        )}
      </Section>
      {(inputs.length > 0 || outputs.length > 0) && (
        <Section title="Ports">
          <Ports title="In" ports={inputs} />
          <Ports title="Out" ports={outputs} />
        </Section>
      )}
      {fields.length > 0 && (
        <Section title="Settings">
          <dl className="flex flex-col gap-2">
            {fields.map((field) => (
              <Param key={field.name} field={field} />
            ))}
          </dl>
        </Section>
      )}
      <Examples id={id} info={info} />
    </>
  );
}

const EFFECTS: Readonly<Record<OperatorInfo['effects'], string>> = {
  pure: 'Depends only on its input',
  read: 'Reads from outside',
  write: 'Changes something outside',
  wait: 'Waits for something outside',
};

function Ports({ title, ports }: { title: string; ports: readonly (InputPort | OutputPort)[] }) {
  if (ports.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1">
      {ports.map((port) => (
        <li key={port.name} className="flex flex-wrap items-baseline gap-x-2">
          <span className="w-6 shrink-0 text-xs text-text-2">{title}</span>
          <code className="font-mono text-xs font-semibold">{port.name}</code>
          <span className="text-xs text-text-2">
            {port.kind === 'either' ? 'value or stream' : port.kind}
            {'many' in port && port.many && ', many edges'}
            {'required' in port && !port.required && ', optional'}
          </span>
          {port.doc && (
            <span className="w-full pl-8 text-xs text-text-2">
              <ProseText text={port.doc} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Param({ field }: { field: FormField }) {
  return (
    <div>
      <dt className="flex flex-wrap items-baseline gap-x-2">
        <code className="font-mono text-xs font-semibold">{field.name}</code>
        <span className="text-xs text-text-2">
          {KINDS[field.shape.kind]}
          {field.required && ', required'}
          {field.defaultValue !== undefined && `, default ${shownDefault(field.defaultValue)}`}
        </span>
      </dt>
      {field.doc && (
        <dd className="text-xs text-text-2">
          <ProseText text={field.doc} />
        </dd>
      )}
    </div>
  );
}

const KINDS: Readonly<Record<FormField['shape']['kind'], string>> = {
  text: 'text',
  number: 'number',
  boolean: 'yes or no',
  select: 'one of a few',
  choices: 'some of a few',
  list: 'list',
  record: 'values by name',
  object: 'object',
  union: 'one of several',
  expression: 'expression',
  value: 'any value',
  json: 'JSON',
  request: 'JSON Schema',
  secret: 'secret',
  name: 'name of something',
  tools: 'tools of an agent',
  sql: 'SQL',
  code: 'code',
  listed: 'text, or one of what the service lists',
  cron: 'cron pattern',
  timezone: 'time zone',
  file: 'file',
};

import type { FlowNode } from '#shared/flow.ts';
import { FieldFrame } from '../form/FieldFrame.tsx';
import { FieldView } from '../form/FieldView.tsx';
import { useMessages, useSetter, useValue } from '../form/form-context.tsx';
import { Select, type SelectOption } from '../ui/Select.tsx';
import { FallbackEditor } from './FallbackEditor.tsx';
import { nodeField, retryFields } from './node-fields.ts';
import { Section } from './Section.tsx';
import { SwitchedFields } from './SwitchedFields.tsx';

type OnError = NonNullable<FlowNode['onError']>;

const CHOICES: readonly SelectOption<OnError>[] = [
  { value: 'fail', label: 'End the run', hint: 'The run fails with this error.' },
  {
    value: 'continue',
    label: 'Continue with a fallback',
    hint: 'The values below stand in for the outputs.',
  },
  { value: 'route', label: 'Continue at its error output', hint: 'An output `error` appears; connect it.' },
];

const RETRY = ['retry'];

/** What happens when the node fails, and how often it is retried. */
export function ErrorHandling({ id }: { id: string }) {
  return (
    <Section title="Errors">
      <OnErrorField />
      <FallbackEditor id={id} />
      <RetryFields />
      <FieldView field={nodeField('timeoutMs')} path={['timeoutMs']} />
    </Section>
  );
}

export function RetryFields() {
  return (
    <SwitchedFields
      path={RETRY}
      title="Try again after a failure"
      on="Retry"
      off="Do not retry"
      initial={{ attempts: 3 }}
      fields={retryFields}
    />
  );
}

export function OnErrorField() {
  const field = nodeField('onError');
  const path = ['onError'];
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value);
  return (
    <FieldFrame field={field} path={path} value={undefined} messages={messages}>
      {() => (
        <Select<OnError>
          value={(value as OnError | undefined) ?? 'fail'}
          onValueChange={(next) => set(next === 'fail' ? undefined : next)}
          options={CHOICES}
          label={field.title}
        />
      )}
    </FieldFrame>
  );
}

import type { FlowNode } from '#shared/flow.ts';
import { FieldFrame } from '../form/FieldFrame.tsx';
import { FieldList } from '../form/FieldList.tsx';
import { FieldView } from '../form/FieldView.tsx';
import { useForm, useMessages, useSetter, useValue } from '../form/form-context.tsx';
import { Select, type SelectOption } from '../ui/Select.tsx';
import { Switch } from '../ui/Switch.tsx';
import { FallbackEditor } from './FallbackEditor.tsx';
import { nodeField, retryFields } from './node-fields.ts';
import { Section } from './Section.tsx';

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

/** What happens when the node fails, and how often it is retried. */
export function ErrorHandling({ id }: { id: string }) {
  return (
    <Section title="Errors">
      <OnErrorField />
      <FallbackEditor id={id} />
      <RetryField />
      <FieldView field={nodeField('timeoutMs')} path={['timeoutMs']} />
    </Section>
  );
}

function OnErrorField() {
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

const RETRY = ['retry'] as const;

function RetryField() {
  const form = useForm();
  const value = useValue(RETRY);
  const isOn = value !== undefined;
  const messages = form.problemsAt('retry', false).map((problem) => ({
    severity: problem.severity,
    text: problem.message,
    problem,
  }));
  const field = { ...nodeField('onError'), title: 'Try again after a failure', doc: undefined };
  return (
    <FieldFrame
      field={field}
      path={RETRY}
      value={undefined}
      messages={messages}
      aside={
        <Switch
          label={field.title}
          checked={isOn}
          onCheckedChange={(on) =>
            form.set(RETRY, on ? { attempts: 3 } : undefined, on ? 'Retry' : 'Do not retry', { merge: false })
          }
        />
      }
    >
      {() =>
        isOn && (
          <div className="ml-0.5 border-l-2 border-line pl-3">
            <FieldList fields={retryFields} path={RETRY} view={FieldView} />
          </div>
        )
      }
    </FieldFrame>
  );
}

import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ToolTrial } from '#shared/tool-trial.ts';
import { tryTool } from '../../api/agents.ts';
import type { AgentTool, ToolKind } from '../../model/form/agent-tools.ts';
import { schemaFields } from '../../model/form/schema-form.ts';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Select.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { FieldList } from '../FieldList.tsx';
import type { NestedProps } from '../FieldFrame.tsx';
import { FormProvider, useForm } from '../form-context.tsx';
import { createInputModel } from '../input-model.ts';

/** What the model sees of a tool, and what the tool answers when it is called with arguments of one's own. */
interface TryToolProps extends Pick<NestedProps, 'view'> {
  tool: AgentTool;
  kind: ToolKind;
}

export function TryTool({ tool, kind, view }: TryToolProps) {
  const { place } = useForm();
  const wish = { type: kind.type, name: tool.name || 'tool', value: tool.value };
  const listed = useQuery({
    queryKey: ['tool-trial', place, wish],
    queryFn: () => tryTool(place?.flow ?? '', { node: place?.node ?? '', tool: wish }),
    enabled: place !== undefined,
    retry: false,
    staleTime: 0,
  });
  if (listed.isPending) return <Spinner label="Looking at the tool" className="size-4" />;
  if (listed.error) return <Refused text={listed.error.message} />;
  const { tools, failure } = listed.data;
  if (failure) return <Refused text={failure.message} />;
  return (
    <section aria-label={`Try ${wish.name}`} className="flex flex-col gap-2 border-t border-line pt-2">
      <Tools wish={wish} tools={tools} view={view} />
    </section>
  );
}

function Tools({ wish, tools, view }: Pick<CallProps, 'wish' | 'view'> & Pick<ToolTrial, 'tools'>) {
  const [chosen, setChosen] = useState<string>();
  const one = tools.find(({ name }) => name === chosen) ?? tools[0];
  if (!one) return <Refused text="It has no tools." />;
  return (
    <>
      {tools.length > 1 && (
        <Select
          label="Tool"
          value={one.name}
          onValueChange={setChosen}
          options={tools.map(({ name, description }) => ({
            value: name,
            label: name,
            hint: description.slice(0, 120),
          }))}
        />
      )}
      <p className="text-xs text-text-2">
        The model is told: <span className="text-text">{one.description || 'nothing'}</span>
      </p>
      <Call key={one.name} wish={wish} one={one} view={view} />
    </>
  );
}

interface CallProps extends Pick<NestedProps, 'view'> {
  wish: { readonly type: string; readonly name: string; readonly value: unknown };
  one: ToolTrial['tools'][number];
}

function Call({ wish, one, view }: CallProps) {
  const { place } = useForm();
  const { form, value } = useMemo(() => createInputModel({}), []);
  const fields = useMemo(() => schemaFields(one.parameters), [one.parameters]);
  const trial = useMutation({
    mutationFn: () =>
      tryTool(place?.flow ?? '', {
        node: place?.node ?? '',
        tool: wish,
        call: { name: one.name, arguments: value() as Readonly<Record<string, unknown>> },
      }),
  });
  const answer = trial.data?.answer;
  const failure = trial.error?.message ?? trial.data?.failure?.message;
  return (
    <>
      {fields.length === 0 && <p className="text-xs text-text-2">It takes no arguments.</p>}
      <FormProvider form={form}>
        <FieldList fields={fields} path={[]} view={view} />
      </FormProvider>
      <Button
        size="sm"
        variant="primary"
        className="self-start"
        busy={trial.isPending}
        onClick={() => trial.mutate()}
      >
        Call it
      </Button>
      {failure !== undefined && <Refused text={failure} />}
      {answer && (
        <div role="status" className="flex flex-col gap-1">
          <p className={answer.ok ? 'text-xs text-good' : 'text-xs text-bad'}>
            {answer.ok ? 'The model would get:' : 'It failed; the model would get:'}
          </p>
          <pre className="max-h-48 overflow-auto rounded-md border border-line bg-surface p-2 font-mono text-xs whitespace-pre-wrap">
            {answer.text === '' ? '(an empty text)' : answer.text}
          </pre>
        </div>
      )}
    </>
  );
}

function Refused({ text }: { text: string }) {
  return (
    <p role="alert" className="text-xs text-bad">
      It cannot be used: {text}
    </p>
  );
}

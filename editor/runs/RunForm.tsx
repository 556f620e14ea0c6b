import { CirclePlay, Play } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { FormUploads, useUploads } from '../form/uploads.ts';
import { useEditor, useRuns, useSession, useSync, useUi } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Field } from '../ui/Field.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';
import { Select } from '../ui/Select.tsx';
import { countText } from '../ui/format.ts';
import { Switch } from '../ui/Switch.tsx';
import { FillMenu } from './FillMenu.tsx';
import { InputEditor } from './InputEditor.tsx';
import { ListenFirst } from './ListenFirst.tsx';
import { type Target, useRunForm } from './use-run-form.ts';

type RunFormState = ReturnType<typeof useRunForm>;

/** Asks for the input of a run and starts it; its result appears in the dock. */
export function RunForm() {
  const { ui } = useSession();
  const isOpen = useUi((state) => state.overlay?.kind === 'run-form');
  const form = useRunForm();
  const [fault, setFault] = useState<string>();
  const reason = useReason(form.target) ?? fault;
  const { trigger, listens } = form;
  const { uploads, isWaiting } = useUploads();
  const id = useId();
  const close = (): void => ui.setState({ overlay: undefined });
  const submit = (event: { preventDefault(): void }): void => {
    event.preventDefault();
    if (reason === undefined && !isWaiting && !listens) form.run();
  };
  const run = (
    <Button
      type="submit"
      form={id}
      icon={Play}
      variant="primary"
      busy={isWaiting}
      disabled={reason !== undefined}
    >
      Run
    </Button>
  );
  const enter = <Button onClick={() => form.setListens(false)}>Give an input instead</Button>;
  return (
    <Dialog
      open={isOpen}
      focusField
      onOpenChange={(open) => !open && close()}
      title={listens ? 'Wait for the first call' : form.part ? 'Run a part of the flow' : 'Run with input'}
      description={listens ? undefined : aboutRun(form)}
      footer={trigger && (listens ? enter : run)}
    >
      <form
        id={id}
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
        }}
      >
        {listens && trigger ? (
          <ListenFirst trigger={trigger} />
        ) : (
          <FormUploads value={uploads}>
            <Questions form={form} reason={reason} onFault={setFault} />
          </FormUploads>
        )}
      </form>
    </Dialog>
  );
}

function aboutRun({ part }: RunFormState): string {
  if (!part) return 'Starts the flow here, without a call from outside.';
  return 'The nodes that this node needs run first; give the input to start with.';
}

interface QuestionsProps {
  form: RunFormState;
  reason: string | undefined;
  onFault(fault: string | undefined): void;
}

function Questions({ form, reason, onFault }: QuestionsProps) {
  const { trigger, model } = form;
  const key = useModelKey(model);
  if (!trigger || !model) {
    return (
      <EmptyState icon={CirclePlay} title="Nothing starts this flow">
        Add a trigger: it says where a run starts, and with what.
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <Where form={form} />
      <InputEditor
        key={key}
        schema={trigger.schema}
        model={model}
        onFault={onFault}
        aside={<FillMenu trigger={trigger.node} example={form.example} onFill={form.fill} />}
      />
      <PinsSwitch form={form} />
      {reason !== undefined && (
        <p role="status" className="text-xs text-warn">
          {reason}
        </p>
      )}
    </div>
  );
}

/** Another model needs fields of its own. */
function useModelKey(model: unknown): number {
  const seen = useRef({ model, key: 0 });
  if (seen.current.model !== model) seen.current = { model, key: seen.current.key + 1 };
  return seen.current.key;
}

const TARGETS = [
  { value: 'draft', label: 'The flow on the canvas' },
  { value: 'live', label: 'The live version' },
] as const;

/** Which trigger, and which version; only asked if there is a choice. */
function Where({ form }: { form: RunFormState }) {
  const { triggers, trigger, setNode, target, setTarget, part } = form;
  const isLive = useSync((sync) => sync.record.version !== undefined);
  const hasDraft = useSync((sync) => sync.record.hasDraft);
  const isUnsaved = useEditor((state) => state.saveState !== 'saved');
  return (
    <>
      {triggers.length > 1 && !part && (
        <Field label="Start at">
          <Select
            value={trigger?.node}
            onValueChange={setNode}
            options={triggers.map(({ node, label, http }) => ({
              value: node,
              label,
              hint: http ? `${http.methods.join(', ')} ${http.path}` : 'started by hand',
            }))}
          />
        </Field>
      )}
      {isLive && !part && (hasDraft || isUnsaved) && (
        <div className="flex">
          <SegmentedControl<Target> label="Run" value={target} onValueChange={setTarget} options={TARGETS} />
        </div>
      )}
    </>
  );
}

/** Whether to run pinned nodes as well; only asked if there are any. */
function PinsSwitch({ form: { pins, setPins } }: { form: RunFormState }) {
  const pinned = useRuns((state) => Object.keys(state.pins).length);
  if (pinned === 0) return null;
  return (
    <label className="flex items-center gap-2">
      <Switch checked={pins} onCheckedChange={setPins} />
      Use the pinned output of {countText(pinned, 'node')}
    </label>
  );
}

/** Why the flow cannot run now. */
function useReason(target: Target): string | undefined {
  const errors = useEditor((state) => state.problems.filter(({ severity }) => severity === 'error').length);
  if (target === 'live' || errors === 0) return undefined;
  return 'The flow on the canvas has problems that keep it from running; the panel Problems lists them.';
}

import { Code, Copy, Send } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { CodeEditor } from '../form/CodeEditor.tsx';
import { parsedJson } from '../form/json-text.ts';
import type { Session } from '../commands/command.ts';
import { fetchOf, pythonOf } from '../model/form/request-code.ts';
import { badHeaderLine, curlOf } from '../model/form/trigger-request.ts';
import { readsQuery } from '../model/form/triggers.ts';
import { useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { Field } from '../ui/Field.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Input, TextArea } from '../ui/Input.tsx';
import { Menu } from '../ui/Menu.tsx';
import { Select } from '../ui/Select.tsx';
import { sectionTitle } from '../ui/styles.ts';
import { Tooltip } from '../ui/Tooltip.tsx';
import { FileFields } from './FileFields.tsx';
import { fileFields } from '../model/form/files-in.ts';
import { ExamplesMenu } from './ExamplesMenu.tsx';
import { type Call, currentRequest, inputText, methodOf, send, testerOf } from './tester.ts';
import { useReason, useTester } from './use-tester.ts';

const NewKeyDialog = lazy(() =>
  import('../keys/NewKeyDialog.tsx').then((file) => ({ default: file.NewKeyDialog })),
);

/** A request to try: its input, which becomes query, path or body, its headers, and a key if the trigger requires one. */
export function RequestForm({ call }: { call: Call }) {
  const { trigger, target } = call;
  const needsKey = target === 'live' && trigger.http.auth === 'api-key';
  return (
    <section aria-label="Request" className="flex min-h-0 min-w-0 flex-col border-line @2xl:border-r">
      <Actions call={call} />
      <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto px-3 pb-3">
        {needsKey && <KeyField />}
        <FileFields fields={fileFields(trigger.schema, trigger.http.accept)} />
        <InputField call={call} />
        <HeadersField />
      </div>
    </section>
  );
}

function Actions({ call }: { call: Call }) {
  const session = useSession();
  const store = testerOf(session);
  const state = useTester((all) => all);
  const request = currentRequest(state, call);
  const reason = useReason(call.target) ?? (request ? undefined : 'The input is not valid JSON.');
  const method = methodOf(state, call.trigger);
  return (
    <div className="flex h-9 shrink-0 items-center gap-1.5 px-3">
      <h3 className={sectionTitle}>Request</h3>
      <span className="flex-1" />
      {call.trigger.http.methods.length > 1 && (
        <Select
          label="Method"
          size="sm"
          value={method}
          onValueChange={(next) => store.setState({ method: next })}
          options={call.trigger.http.methods.map((one) => ({ value: one, label: one }))}
          isData
          className="max-w-24"
        />
      )}
      <ExamplesMenu call={call} />
      <Menu
        trigger={<IconButton size="sm" icon={Code} label="Copy as code" disabled={request === undefined} />}
        entries={CODE.map(({ label, of }) => ({
          id: label,
          label,
          icon: Copy,
          onSelect: () => void copy(session, request && of(request)),
        }))}
      />
      <Tooltip text={reason ?? 'Sends it to the address above'}>
        <Button
          size="sm"
          variant="primary"
          icon={Send}
          busy={state.sending}
          disabled={reason !== undefined}
          onClick={() => void send(session, call)}
        >
          Send
        </Button>
      </Tooltip>
    </div>
  );
}

/** The languages of callers. */
const CODE = [
  { label: 'curl', of: curlOf },
  { label: 'JavaScript', of: fetchOf },
  { label: 'Python', of: pythonOf },
] as const;

async function copy({ actions }: Session, text: string | undefined): Promise<void> {
  if (text === undefined) return;
  await actions.writeClipboard(text);
  actions.toast('Copied.', 'success');
}

function KeyField() {
  const store = testerOf(useSession());
  const key = useTester((state) => state.key);
  const [isNew, setNew] = useState(false);
  const insert = (next: string): void => store.setState({ key: next });
  return (
    <>
      <Field
        label="API key"
        aside={
          <Button size="sm" variant="ghost" onClick={() => setNew(true)}>
            New key…
          </Button>
        }
      >
        <Input
          type="password"
          value={key}
          onValueChange={insert}
          placeholder="Insert a key: for this page only, never stored"
        />
      </Field>
      <Suspense fallback={null}>
        {isNew && (
          <NewKeyDialog
            all={[]}
            suggested={{ name: '', scopes: ['triggers'], days: 7 }}
            use={{ label: 'Use it here', take: insert }}
            onClose={() => setNew(false)}
          />
        )}
      </Suspense>
    </>
  );
}

function InputField({ call }: { call: Call }) {
  const store = testerOf(useSession());
  const text = useTester((state) => inputText(state, call));
  const method = useTester((state) => methodOf(state, call.trigger));
  const parsed = parsedJson(text);
  return (
    <div className="flex flex-col gap-1">
      <span className="text-xs font-medium">
        Input{' '}
        <span className="font-normal text-text-2">
          {sentAs(readsQuery(method), call)}
          {call.trigger.http.path.includes('/:') && ' and the path'}
        </span>
      </span>
      <CodeEditor
        language="json"
        multiline
        label="Input of the request, as JSON"
        value={text}
        invalid={'fault' in parsed}
        onChange={(next) =>
          store.setState(({ inputs }) => ({ inputs: { ...inputs, [call.trigger.node]: next } }))
        }
      />
      {'fault' in parsed && (
        <p role="alert" className="text-xs text-bad">
          {parsed.fault}
        </p>
      )}
    </div>
  );
}

function sentAs(inQuery: boolean, { trigger: { http } }: Call): string {
  if (inQuery) return 'as JSON, sent as the query';
  return http.accept.includes('multipart')
    ? 'as JSON, sent as the texts of a form'
    : 'as JSON, sent as the body';
}

function HeadersField() {
  const store = testerOf(useSession());
  const headers = useTester((state) => state.headers);
  const [open, setOpen] = useState(headers !== '');
  const bad = badHeaderLine(headers);
  if (!open) {
    return (
      <Button size="sm" variant="ghost" className="self-start" onClick={() => setOpen(true)}>
        Add headers
      </Button>
    );
  }
  return (
    <Field
      label="Headers"
      help="One per line, such as X-Customer: Ada."
      error={bad === undefined ? undefined : `“${bad.trim()}” is not a header; write Name: value.`}
    >
      <TextArea mono rows={2} value={headers} onValueChange={(next) => store.setState({ headers: next })} />
    </Field>
  );
}

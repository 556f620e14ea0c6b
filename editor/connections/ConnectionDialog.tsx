import { useQuery } from '@tanstack/react-query';
import { useContext, useMemo, useState, useSyncExternalStore } from 'react';
import type {
  ConnectionInfo,
  ConnectionKind,
  ConnectionKindName,
  ConnectionRate,
} from '#shared/connection.ts';
import { saveConnection } from '../api/connections.ts';
import { FieldList } from '../form/FieldList.tsx';
import { FieldView } from '../form/FieldView.tsx';
import { FormProvider } from '../form/form-context.tsx';
import { valueAt } from '../form/form-model.ts';
import type { FormField } from '../model/form/schema-form.ts';
import { useChange } from '../session/use-change.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Input } from '../ui/Input.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { Select } from '../ui/Select.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { Grants, RateLimit } from './ConnectionUse.tsx';
import { Proposed } from '../form/proposed.ts';
import {
  bodyOf,
  countFault,
  type ConnectionDraft,
  draftOf,
  isComplete,
  nameFault,
  settingFields,
  settingsForm,
  shownSettings,
  typedRate,
} from './connection-draft.ts';
import { kindsQuery, serverFoldersQuery } from './queries.ts';

interface GivenConnection {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly rate: ConnectionRate | undefined;
  readonly help: string;
}

interface ConnectionDialogProps {
  /** The connection to change; undefined for a new one. */
  connection: ConnectionInfo | undefined;
  /** The kind of a new one. */
  kind?: ConnectionKindName;
  /** What its form is filled with, and a hint above it. */
  given?: GivenConnection;
  all: readonly ConnectionInfo[];
  /** Takes the name of one that was saved. */
  onMade?(name: string): void;
  onClose(): void;
}

/** Name, kind, settings and grants of a connection. Passwords are entered here and never shown again. */
export function ConnectionDialog(props: ConnectionDialogProps) {
  const kinds = useQuery(kindsQuery);
  if (kinds.data) return <ConnectionForm {...props} kinds={kinds.data} />;
  return (
    <Dialog open onOpenChange={props.onClose} title="Connection">
      {kinds.isError ? (
        <p role="alert" className="text-bad">
          {kinds.error.message}
        </p>
      ) : (
        <Spinner label="Loading the kinds of connections" className="size-6" />
      )}
    </Dialog>
  );
}

function ConnectionForm({
  connection,
  kind: chosen,
  given,
  all,
  kinds,
  onMade,
  onClose,
}: ConnectionDialogProps & { kinds: readonly ConnectionKind[] }) {
  const proposed = useContext(Proposed);
  const [draft, setDraft] = useState(() => ({
    ...draftOf(connection, kinds, proposed.grants),
    ...(proposed.name !== undefined && !connection && { name: proposed.name }),
    ...(given && { name: given.name, ...typedRate(given.rate) }),
    ...(chosen && { kind: chosen }),
  }));
  const { busy, error, change } = useChange(['connections', 'world', 'flows'], () => {
    onMade?.(draft.name);
    onClose();
  });
  const kind = kinds.find((one) => one.kind === draft.kind);
  const form = useMemo(
    () => settingsForm(connection ? shownSettings(kind, connection) : (given?.settings ?? {})),
    [connection, given, kind],
  );
  const settings = useSyncExternalStore(form.subscribe, form.current);
  const written = kind ? settingFields(kind, connection, settings) : [];
  const folders = useQuery({ ...serverFoldersQuery, enabled: written.some(isFolder) }).data;
  const fields = withFolders(written, folders, settings);
  const fault = connection ? undefined : nameFault(draft.name, all);
  const isFit = [fault, countFault(draft.limit), countFault(draft.burst)].every((one) => one === undefined);
  const isReady = isFit && draft.name !== '' && isComplete(fields, settings);
  const patch = (more: Partial<ConnectionDraft>): void => setDraft({ ...draft, ...more });
  const submit = (): void =>
    void change(() => saveConnection(draft.name, bodyOf(draft, settings, connection)));
  return (
    <FormDialog
      title={connection ? `Change the connection “${connection.name}”` : 'New connection'}
      action="Save"
      isReady={isReady}
      busy={busy}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      {!connection && <NameAndKind draft={draft} kinds={kinds} fault={fault} onChange={patch} />}
      {kind && (
        <p className="text-xs text-text-2">
          <ProseText text={given?.help ?? kind.doc} />
        </p>
      )}
      <FormProvider form={form}>
        <FieldList fields={fields} path={[]} view={FieldView} />
      </FormProvider>
      <Grants draft={draft} before={connection?.grants ?? {}} onChange={patch} />
      <RateLimit draft={draft} onChange={patch} />
    </FormDialog>
  );
}

function isFolder({ schema }: FormField): boolean {
  return schema['widget'] === 'folder';
}

/** A folder is chosen among those of the server; without any the field says how to name one. */
function withFolders(
  fields: readonly FormField[],
  folders: readonly string[] | undefined,
  settings: unknown,
): readonly FormField[] {
  if (folders === undefined) return fields;
  const doc =
    'This server shares its data with others and has no folder of its own. Start it with one, such as WEFT_FOLDERS=shop=/path/of/the/folder.';
  return fields.map((field) => {
    if (!isFolder(field)) return field;
    if (folders.length === 0) return { ...field, doc };
    // One that the server had before stays to be seen.
    const chosen = valueAt(settings, [field.name]);
    const names = new Set([...folders, ...(typeof chosen === 'string' && chosen !== '' ? [chosen] : [])]);
    const options = [...names].map((name) => ({ value: name, label: name }));
    return { ...field, shape: { kind: 'select', options } };
  });
}

interface NameAndKindProps {
  draft: ConnectionDraft;
  kinds: readonly ConnectionKind[];
  fault: string | undefined;
  onChange(more: Partial<ConnectionDraft>): void;
}

function NameAndKind({ draft, kinds, fault, onChange }: NameAndKindProps) {
  return (
    <>
      <Field
        label="Name"
        required
        help="Nodes use it by this name, which cannot be changed later."
        error={fault}
      >
        <Input
          autoFocus
          mono
          maxLength={64}
          value={draft.name}
          onValueChange={(name) => onChange({ name })}
          placeholder="shop"
        />
      </Field>
      <Field label="Kind">
        <Select
          value={draft.kind}
          onValueChange={(kind) => onChange({ kind })}
          // Services that people sign in to have a form of their own.
          options={kinds
            .filter(({ kind }) => kind !== 'oauth2')
            .map(({ kind, title }) => ({ value: kind, label: title }))}
        />
      </Field>
    </>
  );
}

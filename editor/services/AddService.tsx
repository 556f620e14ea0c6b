import { useState } from 'react';
import type { ServiceOffer } from '#shared/service-api.ts';
import { addService, type Description, readDescription } from '../api/services.ts';
import { useChange } from '../session/use-change.ts';
import { DropZone } from '../ui/DropZone.tsx';
import { Field } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { countText } from '../ui/format.ts';
import { Input } from '../ui/Input.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { Tick } from '../ui/Tick.tsx';

interface Read {
  readonly from: Description;
  readonly offer: ServiceOffer;
}

/** From the description of an API to operators: first the description, then the calls. */
export function AddService({ onClose }: { onClose(): void }) {
  const [read, setRead] = useState<Read>();
  return read === undefined ? (
    <ChooseDescription onRead={setRead} onClose={onClose} />
  ) : (
    <ChooseCalls read={read} onClose={onClose} />
  );
}

function ChooseDescription({ onRead, onClose }: { onRead(read: Read): void; onClose(): void }) {
  const [address, setAddress] = useState('');
  const { busy, error, change } = useChange([], () => {});
  const look = (from: Description): void =>
    void change(async () => onRead({ from, offer: await readDescription(from) }));
  return (
    <FormDialog
      title="Add a service"
      action="Read"
      isReady={address.trim() !== ''}
      busy={busy}
      error={error}
      onSubmit={() => look({ address: address.trim() })}
      onClose={onClose}
    >
      <Field
        label="Address of its description"
        help="OpenAPI 3.0 or 3.1 (JSON or YAML), or Google Discovery. Services publish it in their documentation."
      >
        <Input
          autoFocus
          mono
          value={address}
          onValueChange={setAddress}
          placeholder="https://api.example.com/openapi.json"
        />
      </Field>
      <DropZone
        label="the description"
        many={false}
        busy={busy}
        accept={['.json', '.yaml', '.yml']}
        onFiles={([file]) => void file?.text().then((text) => look({ text }))}
      />
    </FormDialog>
  );
}

/** More rows than this are found by the search. */
const SHOWN = 200;
const MOST = 100;

function ChooseCalls({ read: { from, offer }, onClose }: { read: Read; onClose(): void }) {
  const isWhole = offer.form === 'service';
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [words, setWords] = useState('');
  const [id, setId] = useState(offer.id);
  const [base, setBase] = useState(offer.base);
  const { busy, error, change } = useChange(['services', 'catalog', 'flows'], onClose);
  const needsBase = !isWhole && !/^https:\/\/[^/]/.test(offer.base);
  const isReady = (isWhole || (picked.size > 0 && picked.size <= MOST)) && id !== '';
  const body = { ...from, id, ...(!isWhole && { calls: [...picked] }), ...(needsBase && { base }) };
  const toggle = (call: string): void => {
    const next = new Set(picked);
    if (!next.delete(call)) next.add(call);
    setPicked(next);
  };
  return (
    <FormDialog
      title={`Add ${offer.title}`}
      action={isWhole ? 'Add' : `Add ${countText(picked.size, 'operator')}`}
      isReady={isReady}
      busy={busy}
      error={error}
      onSubmit={() => void change(() => addService(body))}
      onClose={onClose}
    >
      <p className="text-xs text-text-2">{offer.doc}</p>
      <Field label="Name" help="Operators are called by it, such as shop.list-orders.">
        <Input mono maxLength={40} value={id} onValueChange={setId} />
      </Field>
      {needsBase && (
        <Field label="Address of the API" required help="With https; the description has none.">
          <Input mono value={base} onValueChange={setBase} placeholder="https://api.example.com/v1" />
        </Field>
      )}
      {!isWhole && (
        <CallList offer={offer} words={words} onWords={setWords} picked={picked} onToggle={toggle} />
      )}
    </FormDialog>
  );
}

interface CallListProps {
  offer: ServiceOffer;
  words: string;
  onWords(words: string): void;
  picked: ReadonlySet<string>;
  onToggle(call: string): void;
}

function CallList({ offer: { calls }, words, onWords, picked, onToggle }: CallListProps) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = calls.filter(({ title, doc, path, tags }) => {
    const text = `${title} ${doc} ${path} ${tags.join(' ')}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  return (
    <div className="flex flex-col gap-2">
      <SearchInput label="Search its calls" value={words} onValueChange={onWords} />
      <ul aria-label="Calls" className="flex max-h-80 flex-col gap-1.5 overflow-y-auto">
        {found.slice(0, SHOWN).map(({ id, title, method, path, isOld }) => (
          <li key={id}>
            <label className="flex items-start gap-1">
              <Tick label={title} checked={picked.has(id)} onCheckedChange={() => onToggle(id)} />
              <span className="min-w-0">
                <span className="font-medium">{title}</span>
                {isOld && <span className="text-bad"> deprecated</span>}
                <span className="block font-mono text-xs break-all text-text-2">
                  {method} {path}
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      <p role="status" className="text-xs text-text-2">
        {countText(found.length, 'call')}
        {found.length > SHOWN && `, of which ${SHOWN} are shown`}; at most {MOST} at once
      </p>
    </div>
  );
}

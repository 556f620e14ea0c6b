import { ClipboardPaste } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../ui/Button.tsx';

const CurlDialog = lazy(() => import('./CurlDialog.tsx').then((file) => ({ default: file.CurlDialog })));

/** Fills in the settings of an HTTP request from a curl command, as API docs and browsers provide it. */
export function PasteCurl() {
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

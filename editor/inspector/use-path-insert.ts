import { insertPath } from '../form/last-editor.ts';
import { useSession } from '../session/session.tsx';
import { copyText } from '../ui/clipboard.ts';

/** Inserts a path into the expression field that was used last; if there is none, copies it to the clipboard. */
export function usePathInsert(): (path: string) => void {
  const { ui, actions } = useSession();
  return (path) => {
    const field = insertPath(path);
    if (field) {
      ui.setState({ inspectorTab: 'settings', announcement: `${path} inserted` });
      requestAnimationFrame(() => field.focus());
      return;
    }
    copyText(`{{ ${path} }}`).then(
      () => actions.toast(`Copied {{ ${path} }}. Click into a field first to have it inserted there.`),
      () => actions.toast('Click into an expression field first, then insert the path.', 'error'),
    );
  };
}

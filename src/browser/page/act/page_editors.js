/*
 * Sets the text of a code editor by the editor's own model, in the page's world. What it returns is the page's word.
 *
 * `element` is an element of the editor. Returns null without a model, else {held} or {readOnly: true}.
 */
(element, text) => {
  const box = element.closest('.CodeMirror, .cm-editor, .ace_editor, .monaco-editor');
  if (!box) return null;
  const mirror = box.CodeMirror;
  if (mirror?.setValue) {
    if (mirror.getOption('readOnly')) return { readOnly: true };
    mirror.setValue(text);
    return { held: String(mirror.getValue()) };
  }
  const ace = box.env?.editor;
  if (ace?.session) {
    if (ace.getReadOnly()) return { readOnly: true };
    ace.setValue(text, 1);
    return { held: String(ace.getValue()) };
  }
  const content = box.querySelector('.cm-content');
  const view = content?.cmView?.view ?? content?.cmTile?.view ?? content?.cmTile?.root?.view;
  if (view?.state?.doc && view.dispatch) {
    if (view.state.readOnly) return { readOnly: true };
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    return { held: view.state.doc.toString() };
  }
  const editors = globalThis.monaco?.editor?.getEditors?.() ?? [];
  const monaco = editors.find((one) => one.getDomNode?.() === box || one.getContainerDomNode?.().contains(box));
  const model = monaco?.getModel?.();
  if (model?.getFullModelRange) {
    const before = model.getValue();
    monaco.pushUndoStop?.();
    const isDone = monaco.executeEdits('fill', [{ range: model.getFullModelRange(), text, forceMoveMarkers: true }]);
    monaco.pushUndoStop?.();
    return isDone === false || (model.getValue() === before && before !== text) ? { readOnly: true } : { held: model.getValue() };
  }
  return null;
};

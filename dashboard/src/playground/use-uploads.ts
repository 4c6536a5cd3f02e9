/** Uploads files as materials and tracks their progress and errors. */
import type { Upload } from '@vidgen/contract/playground.ts';
import { useEffect, useRef, useState } from 'react';
import { sendFile } from '../api/files.ts';
import type { MaterialList } from './generation-form.ts';

export type RunningUpload = {
  readonly id: number;
  readonly name: string;
  readonly list: MaterialList;
  readonly fraction: number;
  /** Why the upload failed, or null. */
  readonly error: string | null;
};

export function listOfFile({ type }: Pick<File, 'type'>): MaterialList | null {
  if (type.startsWith('image/')) return 'images';
  if (type.startsWith('video/')) return 'videos';
  return type.startsWith('audio/') ? 'audios' : null;
}

const listOfKind = { image: 'images', video: 'videos', audio: 'audios' } as const;
let lastId = 0;

export function useUploads(account: string, onUploaded: (list: MaterialList, url: string) => void) {
  const [running, setRunning] = useState<readonly RunningUpload[]>([]);
  /** File names by URL, while the page is open. */
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const controllers = useRef(new Map<number, AbortController>());
  const onUploadedRef = useRef(onUploaded);
  onUploadedRef.current = onUploaded;
  useEffect(() => {
    const { current } = controllers;
    return () => {
      for (const controller of current.values()) controller.abort();
    };
  }, []);

  const update = (id: number, change: Partial<RunningUpload>) =>
    setRunning((all) => all.map((one) => (one.id === id ? { ...one, ...change } : one)));
  const dismiss = (id: number) => {
    controllers.current.get(id)?.abort();
    controllers.current.delete(id);
    setRunning((all) => all.filter((one) => one.id !== id));
  };
  const startUpload = async (file: File) => {
    lastId += 1;
    const id = lastId;
    const controller = new AbortController();
    controllers.current.set(id, controller);
    const list = listOfFile(file) ?? 'images';
    setRunning((all) => [...all, { id, name: file.name, list, fraction: 0, error: null }]);
    try {
      const { url, kind } = await sendFile<Upload>(`/admin/accounts/${account}/uploads`, file, {
        signal: controller.signal,
        onProgress: (fraction) => update(id, { fraction }),
      });
      setNames((known) => new Map(known).set(url, file.name));
      onUploadedRef.current(listOfKind[kind], url);
      dismiss(id);
    } catch (error) {
      update(id, { error: (error as Error).message });
    }
  };
  return {
    running,
    names,
    start: (files: readonly File[]) => {
      for (const file of files) void startUpload(file);
    },
    dismiss,
  };
}

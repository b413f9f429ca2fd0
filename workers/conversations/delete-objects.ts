import type { Db } from '../../db/connection.ts';
import { type FileObject, forgetObject, takeDueObjects } from '../../db/conversations/file-objects.ts';
import { type ObjectStore, ObjectStoreError, objectNameOf } from '../../platform/object-store.ts';

/** Deletes objects that no file has. One that cannot be deleted is tried again after minutes, until it is gone. */
export async function deleteObjects(db: Db, objects: ObjectStore | undefined): Promise<void> {
  if (!objects) return;
  const deleteOne = async (object: FileObject) => {
    await objects.delete(objectNameOf(object));
    await forgetObject(db, object);
  };
  try {
    for (let due = await takeDueObjects(db); due.length > 0; due = await takeDueObjects(db))
      await Promise.all(due.map(deleteOne));
  } catch (error) {
    // The outage is logged already.
    if (!(error instanceof ObjectStoreError)) throw error;
  }
}

-- How each server learns of its folders, and whether a change restarts it.

ALTER TABLE servers ADD COLUMN channel    TEXT    NOT NULL DEFAULT 'auto';
ALTER TABLE servers ADD COLUMN no_restart INTEGER NOT NULL DEFAULT 0;

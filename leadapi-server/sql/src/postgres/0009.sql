-- The tasks that only one server at a time may run. A server locks the row of a task while it runs the task. Unlike an
-- advisory lock, a row exists only once in a database that is distributed over several nodes.
CREATE TABLE exclusive_task (
    task text COLLATE "C" PRIMARY KEY
);

INSERT INTO exclusive_task VALUES ('migrate'), ('delete_expired');

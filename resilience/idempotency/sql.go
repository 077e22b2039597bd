package idempotency

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Schema makes the table of an [SQL] store. Its primary key is what makes claims
// atomic. Times are nanoseconds since 1970.
const Schema = `CREATE TABLE IF NOT EXISTS idempotency_keys (
	key         TEXT   PRIMARY KEY,
	fingerprint TEXT   NOT NULL,
	state       TEXT   NOT NULL CHECK (state IN ('started', 'charged', 'failed', 'unknown')),
	owner       TEXT   NOT NULL,
	lease       BIGINT NOT NULL,
	expires     BIGINT NOT NULL,
	response    TEXT   NOT NULL
)`

// SQL is a [Store] in a table of a database, for any number of processes. Every
// step is one statement, without transactions. It is tested with SQLite
// (modernc.org/sqlite), where the data source should set a busy timeout, as in
// "file:keys.db?_pragma=busy_timeout(5000)"; the
// statements are also valid for PostgreSQL.
type SQL struct {
	db *sql.DB
	// numbered is for drivers that want $1, $2 in place of question marks.
	numbered bool
}

// NewSQL returns a store in db, which must have the table of [Schema].
// numbered says that the driver wants $1, $2 (PostgreSQL) in place of question marks (SQLite).
func NewSQL(db *sql.DB, numbered bool) *SQL { return &SQL{db: db, numbered: numbered} }

// bind writes the placeholders of a statement as the driver wants them.
func (s *SQL) bind(query string) string {
	if !s.numbered {
		return query
	}
	var b strings.Builder
	for n := 1; ; n++ {
		before, after, found := strings.Cut(query, "?")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString("$" + strconv.Itoa(n))
		query = after
	}
}

// exec runs a statement and returns how many rows it changed.
func (s *SQL) exec(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := s.db.ExecContext(ctx, s.bind(query), args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

const columns = "key, fingerprint, state, owner, lease, expires, response"

// Claim implements [Store].
func (s *SQL) Claim(ctx context.Context, rec Record, now time.Time) (Record, bool, error) {
	for { // again only if the record was purged between two statements
		n, err := s.exec(ctx, `INSERT INTO idempotency_keys (`+columns+`) VALUES (?, ?, ?, ?, ?, ?, 'null') ON CONFLICT (key) DO NOTHING`,
			rec.Key, rec.Fingerprint, string(rec.State), rec.Owner, rec.Lease.UnixNano(), rec.Expires.UnixNano())
		if err != nil || n == 1 {
			return rec, n == 1, wrap("claim", err)
		}
		n, err = s.exec(ctx, `UPDATE idempotency_keys SET fingerprint = ?, state = ?, owner = ?, lease = ?, expires = ?, response = 'null'
			WHERE key = ? AND (state IN ('charged', 'failed') AND expires <= ? OR state = 'failed' AND fingerprint = ?)`,
			rec.Fingerprint, string(rec.State), rec.Owner, rec.Lease.UnixNano(), rec.Expires.UnixNano(), rec.Key, now.UnixNano(), rec.Fingerprint)
		if err != nil || n == 1 {
			return rec, n == 1, wrap("claim", err)
		}
		there, err := scan(s.db.QueryRowContext(ctx, s.bind(`SELECT `+columns+` FROM idempotency_keys WHERE key = ?`), rec.Key))
		if !errors.Is(err, sql.ErrNoRows) {
			return there, false, wrap("claim", err)
		}
	}
}

// Settle implements [Store].
func (s *SQL) Settle(ctx context.Context, key, owner string, to State, resp *Response, expires time.Time) (bool, error) {
	text, err := json.Marshal(resp)
	if err != nil {
		return false, wrap("settle", err)
	}
	n, err := s.exec(ctx, `UPDATE idempotency_keys SET state = ?, response = ?, expires = ?
		WHERE key = ? AND owner = ? AND state IN ('started', 'unknown')`, string(to), string(text), expires.UnixNano(), key, owner)
	return n == 1, wrap("settle", err)
}

// Unsettled implements [Store].
func (s *SQL) Unsettled(ctx context.Context, now time.Time, limit int) ([]Record, error) {
	rows, err := s.db.QueryContext(ctx, s.bind(`SELECT `+columns+` FROM idempotency_keys
		WHERE state = 'unknown' OR state = 'started' AND lease <= ? ORDER BY expires, key LIMIT ?`), now.UnixNano(), limit)
	if err != nil {
		return nil, wrap("unsettled", err)
	}
	defer rows.Close()
	var out []Record
	for rows.Next() {
		rec, err := scan(rows)
		if err != nil {
			return nil, wrap("unsettled", err)
		}
		out = append(out, rec)
	}
	return out, wrap("unsettled", rows.Err())
}

// Purge implements [Store].
func (s *SQL) Purge(ctx context.Context, now time.Time) (int, error) {
	n, err := s.exec(ctx, `DELETE FROM idempotency_keys WHERE state IN ('charged', 'failed') AND expires <= ?`, now.UnixNano())
	return int(n), wrap("purge", err)
}

func scan(row interface{ Scan(...any) error }) (Record, error) {
	var rec Record
	var lease, expires int64
	var response string
	if err := row.Scan(&rec.Key, &rec.Fingerprint, &rec.State, &rec.Owner, &lease, &expires, &response); err != nil {
		return Record{}, err
	}
	rec.Lease, rec.Expires = time.Unix(0, lease), time.Unix(0, expires)
	return rec, json.Unmarshal([]byte(response), &rec.Response)
}

func wrap(step string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("idempotency keys, %s: %w", step, err)
}

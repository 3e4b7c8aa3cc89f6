// Package revisions holds the test that one story (a server asks, a person
// decides, folders come and go) is told rightly in every revision of the
// protocol, over every transport, to servers of several makers. All that we
// send is recorded, checked against the schema of the revision, and compared
// with the transcripts in testdata.
//
// Its promise: nothing in it ships, and it has no code but tests. They own the
// servers that they start, and end them.
package revisions

//go:build race

package mcpclient

const raceDetector = true

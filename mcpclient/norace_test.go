//go:build !race

package mcpclient

const raceDetector = false
